// Base64 as in RFC 4648 section 4: standard alphabet, with padding.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

std::string encode_base64(std::string_view bytes);
void append_base64(std::string& out, std::string_view bytes);
// Writes to memory that has room for base64_length(bytes.size()) characters. Returns the end of what was
// written.
constexpr std::size_t base64_length(std::size_t bytes) { return (bytes + 2) / 3 * 4; }
char* write_base64(char* out, std::string_view bytes);

// Returns nullopt if the text is not base64: a character outside the alphabet (white space included), a
// length that is not a multiple of four, or misplaced padding. Ignores the bits of the last character that
// exceed the last byte.
std::optional<std::string> decode_base64(std::string_view text);
// Appends the bytes. Returns false, and leaves `out` unchanged, if the text is not base64.
bool append_decoded_base64(std::string& out, std::string_view text);

}  // namespace rocktable
