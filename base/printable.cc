// Escapes control characters and bytes that are not UTF-8, character by character.
#include "base/printable.h"

#include <cstddef>
#include <cstdint>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

void append_hex(std::string& out, std::uint32_t number, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kDigits[number >> shift & 0xFu];
}

// Returns the length in bytes of the character that starts with this byte.
std::size_t length_of_character(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xE0) return 2;
  return first < 0xF0 ? 3 : 4;
}

// Returns the code point of one well-formed character.
std::uint32_t code_point(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character[0]);
  std::uint32_t out = static_cast<unsigned char>(character[0]) & (0x7Fu >> character.size());
  for (const char c : character.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3Fu);
  return out;
}

// Returns whether a terminal interprets this character. Source for 0x061C and what follows it:
// unicode.org/reports/tr9, section 2 (Bidi_Control).
bool is_terminal_control(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029 || c == 0x061C ||
         (c >= 0x200E && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const auto first = static_cast<unsigned char>(text[0]);
    const std::string_view character = text.substr(0, length_of_character(first));
    if (!is_utf8(character)) {
      out += "\\x";
      append_hex(out, first, 2);
      text.remove_prefix(1);
      continue;
    }
    if (const std::uint32_t c = code_point(character); is_terminal_control(c)) {
      out += "\\u";
      append_hex(out, c, 4);
    } else {
      out += character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace rocktable
