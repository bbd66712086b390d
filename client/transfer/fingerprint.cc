#include "client/transfer/fingerprint.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "client/sha256.h"
#include "odata/payload_writer.h"

namespace rocktable {
namespace {

// Returns the same text for equal entities only: JSON with types, properties sorted by name.
std::string canonical(const Entity& entity) {
  auto properties = view_of(entity.properties);
  std::sort(properties.begin(), properties.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  for (auto& property : properties)
    if (auto* number = std::get_if<double>(&property.value); number != nullptr && *number == 0) *number = 0;
  std::string out;
  write_entity_body(out, {entity.key.partition_key, entity.key.row_key, {}, properties});
  return out;
}

}  // namespace

void Fingerprint::add(const Entity& entity) {
  const Sha256 digest = sha256(canonical(entity));
  std::array<std::uint64_t, 2> words;
  std::memcpy(words.data(), digest.data(), sizeof words);
  for (std::size_t i = 0; i < words.size(); ++i) sum_[i] += words[i];
  ++count_;
}

std::string Fingerprint::to_string() const {
  char text[40];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(sum_[0]),
                static_cast<unsigned long long>(sum_[1]));
  return std::to_string(count_) + (count_ == 1 ? " entity" : " entities") + ", checksum " + text;
}

}  // namespace rocktable
