// Base64 as in RFC 4648 section 4: standard alphabet, with padding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

std::string encode_base64(std::string_view bytes);
void append_base64(std::string& out, std::string_view bytes);
// To memory with room for base64_length(bytes.size()) characters; returns the end.
constexpr std::size_t base64_length(std::size_t bytes) { return (bytes + 2) / 3 * 4; }
char* write_base64(char* out, std::string_view bytes);

// Nothing if the text is not base64: a foreign character (white space too), a length that is no multiple of
// four, misplaced padding. Bits that the last character has beyond the last byte are ignored.
std::optional<std::string> decode_base64(std::string_view text);

}  // namespace rocktable
