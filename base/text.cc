// UTF-8 text, counted and ordered as the service does. Words of eight bytes make the common case, ASCII,
// cheap.
#include "base/text.h"

#include <simdjson.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>

namespace rocktable {
namespace {

std::uint64_t load_word(const char* bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Counts the lead byte of each character. A lead byte of four bytes counts twice: the character has two code
// units.
std::size_t code_units(std::string_view bytes) {
  std::size_t count = 0;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0u) != 0x80u;
    count += byte >= 0xF0u;
  }
  return count;
}

// Moves lead bytes 0xEE and 0xEF (U+E000..U+FFFF) above those of characters outside the BMP, whose first code
// unit is a surrogate. Well-formed strings first differ either in two lead bytes or in two continuation
// bytes; continuation bytes keep their order.
unsigned utf16_rank(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte == 0xEEu || byte == 0xEFu ? byte + 0x10u : byte;
}

}  // namespace

bool is_utf8(std::string_view text) { return text.empty() || simdjson::validate_utf8(text.data(), text.size()); }

std::size_t utf16_length(std::string_view utf8) {
  constexpr std::uint64_t kHighBits = 0x8080808080808080u;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + kWord <= utf8.size(); i += kWord) {
    const bool ascii = (load_word(utf8.data() + i) & kHighBits) == 0;
    count += ascii ? kWord : code_units(utf8.substr(i, kWord));
  }
  return count + code_units(utf8.substr(i));
}

std::size_t common_prefix(std::string_view a, std::string_view b) {
  const std::size_t common = std::min(a.size(), b.size());
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (; i + sizeof(std::uint64_t) <= common; i += sizeof(std::uint64_t)) {
      const std::uint64_t difference = load_word(a.data() + i) ^ load_word(b.data() + i);
      if (difference != 0) return i + static_cast<std::size_t>(std::countr_zero(difference)) / 8;
    }
  }
  while (i < common && a[i] == b[i]) ++i;
  return i;
}

std::strong_ordering compare_utf16(std::string_view a, std::string_view b) {
  const std::size_t i = common_prefix(a, b);
  if (i == a.size() || i == b.size()) return a.size() <=> b.size();
  return utf16_rank(a[i]) <=> utf16_rank(b[i]);
}

std::string to_lower_ascii(std::string_view text) {
  std::string lower;
  append_lower_ascii(lower, text);
  return lower;
}

void append_lower_ascii(std::string& out, std::string_view text) {
  const std::size_t at = out.size();
  out += text;
  for (std::size_t i = at; i < out.size(); ++i) out[i] = to_lower_ascii(out[i]);
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string with_commas(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t i = out.size(); i > 3; i -= 3) out.insert(i - 3, ",");
  return out;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return with_commas(count).append(" ").append(count == 1 ? one : many);
}

std::string shortest(double number) {
  char out[32];
  return {out, std::to_chars(out, out + sizeof out, number).ptr};
}

}  // namespace rocktable
