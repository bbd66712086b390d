// Text in the service's terms: the service counts and orders strings by UTF-16 code units; here they are
// UTF-8.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace rocktable {

// Returns whether these bytes are well-formed UTF-8 (no surrogates, no overlong forms, nothing above
// U+10FFFF).
bool is_utf8(std::string_view text);

// Returns the length in UTF-16 code units. The text must be UTF-8.
std::size_t utf16_length(std::string_view utf8);

// Returns the number of bytes at the front that both texts have in common.
std::size_t common_prefix(std::string_view a, std::string_view b);

// Compares by UTF-16 code unit, the service's order of keys and strings. It differs from byte order only for
// characters outside the BMP: their surrogates (U+D800..U+DFFF) sort below U+E000..U+FFFF.
std::strong_ordering compare_utf16(std::string_view a, std::string_view b);

// 1234567 as `1,234,567`.
std::string with_commas(std::uint64_t number);

// Returns `1 table`, `2,000 tables`.
std::string counted(std::uint64_t count, std::string_view one, std::string_view many);

// Returns `5`, `0.5`: without the zeros that std::to_string() adds.
std::string shortest(double number);

// Returns `a, b, c`. The elements convert to std::string_view.
template <class Texts>
std::string joined(const Texts& texts);

struct Utf16Less {
  using is_transparent = void;
  bool operator()(std::string_view a, std::string_view b) const { return compare_utf16(a, b) < 0; }
};

// These functions treat only ASCII letters; other bytes stay unchanged.
std::string to_lower_ascii(std::string_view text);
void append_lower_ascii(std::string& out, std::string_view text);
char to_lower_ascii(char c);
bool equals_ignoring_case(std::string_view a, std::string_view b);

// Returns the value of a hex digit of either case, or -1 for any other character.
int hex_value(char c);

// Removes spaces and tabs at both ends.
std::string_view trim(std::string_view text);

// --- Inline functions ------------------------------------------------------------------------------------
//
// Each look-up of a header calls the first two. Most names differ in length already.

inline char to_lower_ascii(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  if (std::memcmp(a.data(), b.data(), a.size()) == 0) return true;  // faster, and mostly the case
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a[i] != b[i] && to_lower_ascii(a[i]) != to_lower_ascii(b[i])) return false;
  return true;
}

template <class Texts>
std::string joined(const Texts& texts) {
  std::string out;
  for (const auto& text : texts) out.append(out.empty() ? "" : ", ").append(std::string_view(text));
  return out;
}

}  // namespace rocktable
