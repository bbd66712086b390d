// Help pages in narrow and wide terminals.
#include "client/command_line/help_text.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("Lines that fit are unchanged") {
  for (const char* page : {"", "\n", "one\n", "  --name TEXT   what it does\n\n  last", "a  b\n\n\n"})
    CHECK(wrap_help(page, 80) == page);
}

TEST_CASE("The text after a name continues below its first word") {
  CHECK(wrap_help("  --name   one two three four five six seven\n  next\n", 42) ==
        "  --name   one two three four five six\n"
        "           seven\n"
        "  next\n");
}

TEST_CASE("In a narrow terminal the text starts below its name") {
  CHECK(wrap_help("  --name TEXT          one two three four", 32) ==
        "  --name TEXT\n"
        "      one two three four");
}

TEST_CASE("A name that is too long for the terminal is folded, too") {
  CHECK(wrap_help("  --name,--other TEXT [default]          one two three four", 28) ==
        "  --name,--other TEXT\n"
        "      [default]\n"
        "      one two three four");
}

TEST_CASE("Running text keeps its indentation") {
  CHECK(wrap_help("one two three four", 10) == "one two\nthree four");
  CHECK(wrap_help("  one two three", 10) == "  one two\n  three");
  CHECK(wrap_help("                    one two three four", 36) == "      one two three four");
}

TEST_CASE("A word that is too long gets its own line, unbroken") {
  CHECK(wrap_help("a abcdefghijklmnop b", 10) == "a\nabcdefghijklmnop\nb");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
