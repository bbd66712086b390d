#include "odata/protocol/local_identity.h"

#include <algorithm>
#include <cstddef>

#include "base/base64.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxIdentityName = 63;
constexpr std::size_t kGuidBytes = 16;
constexpr std::string_view kHyphensBefore = "\x04\x06\x08\x0a";  // bytes

bool is_ascii_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// A GUID of version 8 (RFC 9562), which follows from the text. The key is public: it only keeps these GUIDs apart from
// those that others derive from the same text.
std::string guid_of(const std::string& text) {
  std::string bytes = *decode_base64(AccountKey("cm9ja3RhYmxlIGxvY2FsIGlkZW50aXRpZXM=").sign(text));
  bytes.resize(kGuidBytes);
  bytes[6] = static_cast<char>((bytes[6] & 0x0f) | 0x80);
  bytes[8] = static_cast<char>((bytes[8] & 0x3f) | 0x80);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  for (std::size_t i = 0; i < kGuidBytes; ++i) {
    if (kHyphensBefore.find(static_cast<char>(i)) != std::string_view::npos) out += '-';
    const auto byte = static_cast<unsigned char>(bytes[i]);
    out += kDigits[byte >> 4];
    out += kDigits[byte & 0x0f];
  }
  return out;
}

// 8-4-4-4-12 digits and hyphens.
bool looks_like_guid(std::string_view text) {
  constexpr std::string_view kForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
  return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(),
                                                   [](char c, char form) { return (c == '-') == (form == '-'); });
}

}  // namespace

bool is_local_identity_name(std::string_view text) {
  return !text.empty() && text.size() <= kMaxIdentityName && is_ascii_letter_or_digit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_ascii_letter_or_digit(c) || c == '-' || c == '_' || c == '.'; }) &&
         !looks_like_guid(text);
}

LocalIdentity local_identity(std::string_view name) {
  const std::string text(name);
  return {text, guid_of("object id of " + text), guid_of("client id of " + text)};
}

}  // namespace rocktable
