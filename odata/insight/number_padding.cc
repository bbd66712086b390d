#include "odata/insight/number_padding.h"

#include "odata/insight/text_hash.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxDigits = 18;
constexpr std::size_t kMaxKey = 64;

}  // namespace

void NumberPadding::add(std::string_view key) {
  std::size_t begin = key.size();
  while (begin > 0 && key[begin - 1] >= '0' && key[begin - 1] <= '9') --begin;
  const std::size_t digits = key.size() - begin;
  if (digits == 0 || digits > kMaxDigits || key.size() > kMaxKey) return;
  const std::size_t hash = text_hash(key.substr(0, begin));
  Stem& stem = stems_[hash % stems_.size()];
  if (stem.hash != hash) stem = {hash, 0, {}, {}};
  ++stem.keys;
  if (key[begin] == '0' && digits > 1) return;  // padded
  // Of the shortest keys the last one, of the longest keys the first one: these two show the wrong order.
  const auto size = key.size();
  if (stem.shortest.empty() || size < stem.shortest.size() || (size == stem.shortest.size() && key > stem.shortest))
    stem.shortest = key;
  if (size > stem.longest.size() || (size == stem.longest.size() && key < stem.longest)) stem.longest = key;
}

std::optional<Evidence> NumberPadding::unpadded() const {
  for (const Stem& stem : stems_)
    if (stem.keys >= kMinKeys && stem.shortest.size() < stem.longest.size() && stem.shortest > stem.longest)
      return Evidence{stem.keys, "`" + stem.shortest + "` and `" + stem.longest + "`", {}, {}};
  return std::nullopt;
}

}  // namespace rocktable
