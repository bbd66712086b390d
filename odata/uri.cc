// Percent-encoding, byte by byte.
#include "odata/uri.h"

#include <cstddef>

#include "odata/text.h"

namespace rocktable {

void append_percent_encoded(std::string& out, char c) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const auto byte = static_cast<unsigned char>(c);
  out += '%';
  out += kDigits[byte >> 4];
  out += kDigits[byte & 0x0Fu];
}

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded(text);
  std::size_t size = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (text.size() - i < 3) return std::nullopt;
      const int high = hex_value(text[i + 1]), low = hex_value(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high << 4 | low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    decoded[size++] = c;
  }
  decoded.resize(size);
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_unreserved(c)) {
      out += c;
    } else {
      append_percent_encoded(out, c);
    }
  }
  return out;
}

}  // namespace rocktable
