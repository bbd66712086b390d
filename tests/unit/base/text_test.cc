// Order, length and validity of text, against a naive UTF-16 model.
#include "base/text.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out += static_cast<char>(value); };
  if (c < 0x80) return byte(c);
  if (c < 0x800) {
    byte(0xC0 | c >> 6);
  } else if (c < 0x10000) {
    byte(0xE0 | c >> 12);
    byte(0x80 | (c >> 6 & 0x3F));
  } else {
    byte(0xF0 | c >> 18);
    byte(0x80 | (c >> 12 & 0x3F));
    byte(0x80 | (c >> 6 & 0x3F));
  }
  byte(0x80 | (c & 0x3F));
}

void append_utf16(std::u16string& out, char32_t c) {
  if (c >= 0x10000) {
    out += static_cast<char16_t>(0xD800 + ((c - 0x10000) >> 10));
    c = 0xDC00 + ((c - 0x10000) & 0x3FF);
  }
  out += static_cast<char16_t>(c);
}

// The same text in two encodings. The standard library compares and counts the model.
struct Text {
  std::string utf8;
  std::u16string utf16;
};

Text random_text(std::mt19937& random) {
  // The characters at the limits of UTF-8's lengths and around the surrogates.
  static constexpr char32_t kCharacters[] = {U'\0',    U'a',    U'b',    U'\x7F', U'\x80', U'\x7FF', 0x800,
                                             0xD7FF,   0xE000,  0xEFFF,  0xF000,  0xFFFD,  0xFFFF,   0x10000,
                                             0x103FF,  0x10400, 0x1F600, 0x3FFFF, 0x40000, 0xFFFFF,  0x100000,
                                             0x10FFFF, U'a',    U'a',    U'a',    U'a',    U'\xE9',  0x4E2D};
  Text text;
  const auto length = random() % 20;
  for (unsigned i = 0; i < length; ++i) {
    const char32_t c = kCharacters[random() % std::size(kCharacters)];
    append_utf8(text.utf8, c);
    append_utf16(text.utf16, c);
  }
  return text;
}

TEST_CASE("order and length equal those after conversion to UTF-16") {
  std::mt19937 random(20210526);
  std::vector<Text> texts;
  for (int i = 0; i < 700; ++i) texts.push_back(random_text(random));
  // Texts with a long common prefix differ only after the eight bytes that are compared at once.
  for (int i = 0; i < 700; ++i) {
    Text text = texts[random() % texts.size()];
    const Text tail = random_text(random);
    text.utf8 += tail.utf8;
    text.utf16 += tail.utf16;
    texts.push_back(text);
  }
  for (const Text& a : texts) {
    REQUIRE(is_utf8(a.utf8));
    REQUIRE(utf16_length(a.utf8) == a.utf16.size());
    for (const Text& b : texts) {
      if (compare_utf16(a.utf8, b.utf8) != (a.utf16 <=> b.utf16)) {
        CAPTURE(a.utf8);
        CAPTURE(b.utf8);
        FAIL("the orders differ");
      }
    }
  }
}

TEST_CASE("characters outside the BMP sort below U+E000") {
  const std::string_view sorted[] = {"",
                                     "Z",
                                     "a",
                                     "a\x01",
                                     "ab",
                                     "\xC3\xA9",
                                     "\xED\x9F\xBF",
                                     "\xF0\x90\x80\x80",
                                     "\xF4\x8F\xBF\xBF",
                                     "\xEE\x80\x80",
                                     "\xEF\xBF\xBF"};
  CHECK(std::is_sorted(std::begin(sorted), std::end(sorted), Utf16Less{}));
  CHECK_FALSE(Utf16Less{}("same", "same"));
}

TEST_CASE("length counts code units") {
  const struct {
    std::string_view text;
    std::size_t length;
  } cases[] = {{"", 0},
               {"a", 1},
               {"12345678", 8},
               {"123456789", 9},
               {"1234567\xC3\xA9", 8},  // across a word boundary
               {"\xC3\xA9", 1},
               {"\xE4\xB8\xAD", 1},
               {"\xF0\x9F\x98\x80", 2},
               {"1234567\xF0\x9F\x98\x80 89", 12},
               {"\xF0\x9F\x98\x80\xF0\x9F\x98\x80\xF0\x9F\x98\x80", 6}};
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(utf16_length(c.text) == c.length);
  }
}

TEST_CASE("UTF-8 has one form per character, and no surrogates") {
  CHECK(is_utf8(std::string_view()));
  CHECK(is_utf8("plain"));
  CHECK(is_utf8(std::string_view("\0", 1)));
  CHECK(is_utf8("\xF4\x8F\xBF\xBF"));
  const std::string_view cases[] = {
      "\x80",              // no lead byte
      "\xC3",              // cut short
      "abc\xE4\xB8",       // cut short
      "\xC0\x80",          // overlong
      "\xE0\x80\xAF",      // overlong
      "\xED\xA0\x80",      // a surrogate
      "\xF4\x90\x80\x80",  // above U+10FFFF
      "\xFF",
      "a long run of ASCII in front of one that is wrong, longer than any vector of a processor, \xFE",
  };
  for (const std::string_view text : cases) {
    CAPTURE(text.size());
    CHECK_FALSE(is_utf8(text));
  }
}

TEST_CASE("only ASCII letters have case") {
  CHECK(to_lower_ascii("MyTable_09 @[`{") == "mytable_09 @[`{");
  CHECK(to_lower_ascii("\xC3\x89") == "\xC3\x89");
  CHECK(equals_ignoring_case("Tables", "tABLES"));
  CHECK(equals_ignoring_case("", ""));
  CHECK_FALSE(equals_ignoring_case("table", "tables"));
  CHECK_FALSE(equals_ignoring_case("tables", "table"));
  CHECK_FALSE(equals_ignoring_case("@", "`"));  // 32 apart, like letters
  CHECK_FALSE(equals_ignoring_case("[", "{"));
}

TEST_CASE("hex digits have a value in upper and lower case") {
  CHECK(hex_value('0') == 0);
  CHECK(hex_value('9') == 9);
  CHECK(hex_value('a') == 10);
  CHECK(hex_value('F') == 15);
  for (const char c : {'/', ':', '@', 'G', '`', 'g', ' ', '\0', '\xFF'}) CHECK(hex_value(c) == -1);
}

TEST_CASE("trim removes spaces and tabs at both ends") {
  CHECK(trim("") == "");
  CHECK(trim(" \t ") == "");
  CHECK(trim("a") == "a");
  CHECK(trim(" \ta b\t ") == "a b");
  CHECK(trim("\na\r") == "\na\r");
}

}  // namespace
TEST_CASE("numbers in texts") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1'000) == "1,000");
  CHECK(with_commas(1'234'567) == "1,234,567");
  CHECK(counted(1, "table", "tables") == "1 table");
  CHECK(counted(2'000, "table", "tables") == "2,000 tables");
  CHECK(shortest(5) == "5");
  CHECK(shortest(0.5) == "0.5");
  CHECK(joined(std::vector<std::string>{}).empty());
  CHECK(joined(std::vector{"a", "b", "c"}) == "a, b, c");
}

}  // namespace rocktable::TEST_FILE
