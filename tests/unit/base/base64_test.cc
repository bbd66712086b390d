// Base64 encoding and decoding: test vectors, round trips, errors.
#include "base/base64.h"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("the test vectors of RFC 4648 section 10 hold in both directions") {
  const struct {
    std::string_view bytes, text;
  } cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xFF\xBF", "+/+/"},
      {"binary", "YmluYXJ5"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.bytes);
    CHECK(encode_base64(c.bytes) == c.text);
    CHECK(decode_base64(c.text) == std::string(c.bytes));
  }
}

TEST_CASE("bytes of every length and value survive a round trip") {
  std::mt19937 random(4648);
  std::string bytes;
  for (int length = 0; length < 300; ++length) {
    CAPTURE(length);
    REQUIRE(decode_base64(encode_base64(bytes)) == bytes);
    bytes += static_cast<char>(random());
  }
}

TEST_CASE("append_base64 keeps the text before it") {
  std::string out = "before ";
  append_base64(out, "fo");
  CHECK(out == "before Zm8=");
}

TEST_CASE("append_decoded_base64 keeps the bytes before it, and adds nothing if the text is refused") {
  std::string out = "before ";
  CHECK(append_decoded_base64(out, "Zm8="));
  CHECK(out == "before fo");
  CHECK_FALSE(append_decoded_base64(out, "Zm9vZm9-"));
  CHECK_FALSE(append_decoded_base64(out, "Zm9vYQ=-"));
  CHECK(out == "before fo");
}

TEST_CASE("text that is not base64 is refused") {
  const std::string_view cases[] = {
      "Z",        "Zg",   "Zm8",  "Zm9vY",                                                        // length
      "Z===",     "====", "=",    "Zg==Zg==", "Zg=v",                                             // padding
      "Zm9v====", "=Zm9", "==Zm", "Zm9 ",     " Zm9v ", "Zm9v\r\n\r\n", "Zm\n9", "Zm9v Zm9v   ",  // white space
      "Zm9-",     "Zm9_", "Zm9.", "Zm9\xC3",                                                      // not in the alphabet
  };
  for (const std::string_view text : cases) {
    CAPTURE(text);
    CHECK_FALSE(decode_base64(text));
  }
  CHECK_FALSE(decode_base64(std::string_view("Zm9\0", 4)));
}

TEST_CASE("every byte outside the alphabet is refused at every position") {
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    if (c == '=') continue;  // valid as padding at one of the positions
    for (std::size_t place = 0; place < 8; ++place) {
      std::string text = "Zm9vYmFy";
      text[place] = c;
      CAPTURE(byte);
      CAPTURE(place);
      REQUIRE(decode_base64(text).has_value() == (kAlphabet.find(c) != std::string_view::npos));
    }
  }
}

TEST_CASE("bits after the last byte are ignored") {
  CHECK(decode_base64("Zh==") == std::string("f"));
  CHECK(decode_base64("Zm9=") == std::string("fo"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
