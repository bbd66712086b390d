// Percent-encoding (RFC 3986).
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

// Decodes %XX once. With `plus_is_space`, as in query strings, a plus becomes a space; in paths it stays a
// plus. Returns nullopt if a % is not followed by two hex digits, or if the result is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);
// The same without a copy of most texts: returns `text` itself, or a view of `decoded` if there was something to
// decode.
std::optional<std::string_view> percent_decode(std::string_view text, bool plus_is_space, std::string& decoded);

// Encodes all bytes except A-Z a-z 0-9 - _ . ~ (RFC 3986, section 2.3), with upper-case hex digits.
std::string percent_encode(std::string_view text);
void append_percent_encoded(std::string& out, std::string_view text);

// Encodes all bytes except those and ! * ' ( ), as the service does in links (RFC 2396, section 2.3).
void append_encoded_for_link(std::string& out, std::string_view text);

}  // namespace rocktable
