#include "odata/insight/shown_key.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxShownKey = 100;

}  // namespace

std::string shown_key(std::string_view key) {
  if (key.size() <= kMaxShownKey) return "`" + std::string(key) + "`";
  std::size_t end = kMaxShownKey;
  while (end > 0 && (static_cast<unsigned char>(key[end]) & 0xc0) == 0x80) --end;  // within a character
  return "`" + std::string(key.substr(0, end)) + "`...";
}

}  // namespace rocktable
