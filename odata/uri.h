// Percent-encoding.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// Decodes %XX once. `plus_is_space` as in query strings; in paths a plus stays a plus. Nothing if a % is not
// followed by two hex digits, or if the result is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// Encodes all bytes but the unreserved ones, A-Z a-z 0-9 - _ . ~, with upper-case hex.
std::string percent_encode(std::string_view text);

inline bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' ||
         c == '.' || c == '~';
}
void append_percent_encoded(std::string& out, char c);

}  // namespace rocktable
