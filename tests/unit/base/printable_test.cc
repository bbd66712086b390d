// Text from outside on a terminal: control characters are escaped.
#include "base/printable.h"

#include <doctest/doctest.h>

#include "odata/files/entity_fault.h"

namespace rocktable::TEST_FILE {

TEST_CASE("a terminal gets no character that controls it") {
  const struct {
    std::string text, shown;
  } cases[] = {
      {"plain text, \u00e4\u4e2d\U0001F600 \\ \"quoted\"", "plain text, \u00e4\u4e2d\U0001F600 \\ \"quoted\""},
      {"", ""},
      {std::string("\0", 1), "\\u0000"},
      {"\x1B[2J\x1B]0;title\x07", "\\u001b[2J\\u001b]0;title\\u0007"},
      {"a\r\nrocktable: done", "a\\u000d\\u000arocktable: done"},
      {"\t\x7F", "\\u0009\\u007f"},
      {"\u0080\u009b31m\u009f\u00a0", "\\u0080\\u009b31m\\u009f\u00a0"},
      {"\u061c\u200d\u200e\u200f\u2010", "\\u061c\u200d\\u200e\\u200f\u2010"},
      {"\u2027\u2028\u2029\u202a\u202e\u202f", "\u2027\\u2028\\u2029\\u202a\\u202e\u202f"},
      {"\u2065\u2066\u2069\u206a", "\u2065\\u2066\\u2069\u206a"},
      {"\x9B"
       "31m\xC3",
       "\\x9b31m\\xc3"},
      {"\xE2\x80(\xED\xA0\x80\xFF", "\\xe2\\x80(\\xed\\xa0\\x80\\xff"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.shown);
    CHECK(printable(c.text) == c.shown);
    CHECK(printable(c.shown) == c.shown);
  }
}

TEST_CASE("text quoted in a message is printable, too") {
  CHECK(quoted_for_message("a\x1B\u009b\u202e\"") == "\"a\\u001b\\u009b\\u202e\\\"\"");
}

}  // namespace rocktable::TEST_FILE
