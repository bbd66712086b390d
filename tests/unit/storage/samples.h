// Random keys and values with a fixed seed, and the order of keys, computed independently of the code under
// test.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "odata/entity.h"

namespace rocktable {

inline void append_utf8_character(std::string& out, char32_t c) {
  const auto byte = [&](char32_t bits) { out += static_cast<char>(bits); };
  const auto continuation = [&](int shift) { byte(0x80 | ((c >> shift) & 0x3F)); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0 | (c >> 6));
  } else {
    if (c < 0x10000) {
      byte(0xE0 | (c >> 12));
    } else {
      byte(0xF0 | (c >> 18));
      continuation(12);
    }
    continuation(6);
  }
  continuation(0);
}

// Returns the code units of well-formed UTF-8. Their order is the order of keys in the service.
inline std::u16string utf16(std::string_view utf8) {
  std::u16string out;
  for (std::size_t i = 0; i < utf8.size();) {
    const auto lead = static_cast<unsigned char>(utf8[i++]);
    const int continuations = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    char32_t c = continuations == 0 ? lead : lead & (0x3Fu >> continuations);
    for (int k = 0; k < continuations; ++k) c = (c << 6) | (static_cast<unsigned char>(utf8[i++]) & 0x3Fu);
    if (c >= 0x10000) out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
    out += static_cast<char16_t>(c >= 0x10000 ? 0xDC00 + ((c - 0x10000) & 0x3FF) : c);
  }
  return out;
}

inline std::pair<std::u16string, std::u16string> place_of(const EntityKey& key) {
  return {utf16(key.partition_key), utf16(key.row_key)};
}

struct KeyOrder {
  bool operator()(const EntityKey& a, const EntityKey& b) const { return place_of(a) < place_of(b); }
};

class Samples {
 public:
  explicit Samples(unsigned seed) : engine_(seed) {}

  std::uint64_t number() { return engine_(); }
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(engine_() % limit); }
  bool one_in(std::size_t n) { return below(n) == 0; }

  template <class Choices>
  const auto& one_of(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

  // Returns short texts of characters at the boundaries where UTF-8, CESU-8 and UTF-16 differ. Many are
  // prefixes of others.
  std::string key_text(std::size_t max_length = 3) {
    static constexpr std::array<char32_t, 22> kCharacters = {
        ' ',    '!',    'A',    'a',    '~',    0xA0,    0x7FF,   0x800,   0xCFFF,  0xD000,   0xD7FF,
        0xE000, 0xE001, 0xEFFF, 0xF000, 0xFFFF, 0x10000, 0x103FF, 0x10400, 0x1F600, 0x10FC00, 0x10FFFF};
    std::string out;
    for (std::size_t n = below(max_length + 1); n > 0; --n) append_utf8_character(out, one_of(kCharacters));
    return out;
  }

  std::string bytes(std::size_t max_length) {
    std::string out(below(max_length + 1), '\0');
    for (char& c : out) c = static_cast<char>(below(256));
    return out;
  }

  // Never returns NaN, which is not equal to itself.
  Value value() {
    switch (static_cast<EdmType>(below(kEdmTypeCount))) {
      case EdmType::String:
        return key_text(40);
      case EdmType::Boolean:
        return one_in(2);
      case EdmType::Int32:
        return static_cast<std::int32_t>(number());
      case EdmType::Int64:
        return static_cast<std::int64_t>(number());
      case EdmType::Double:
        return static_cast<double>(static_cast<std::int64_t>(number())) / 1024;
      case EdmType::DateTime:
        return DateTime{kMinDateTime.ticks + static_cast<std::int64_t>(number() >> 4)};
      case EdmType::Guid: {
        Guid guid;
        for (auto& byte : guid.bytes) byte = static_cast<std::uint8_t>(below(256));
        return guid;
      }
      case EdmType::Binary:
        break;
    }
    return Binary{bytes(60)};
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rocktable
