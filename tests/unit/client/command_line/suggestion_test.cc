// Distances between words, and suggestions for mistyped words.
#include "client/command_line/suggestion.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("The edit distance counts insertions, deletions, replacements and exchanged neighbours") {
  struct {
    std::string_view a, b;
    std::size_t distance;
  } cases[] = {{"", "", 0},          {"", "abc", 3},           {"abc", "", 3},
               {"port", "port", 0},  {"port", "PORT", 0},      {"port", "prt", 1},
               {"port", "sport", 1}, {"port", "pert", 1},      {"snapshto", "snapshot", 1},
               {"ab", "ba", 1},      {"kitten", "sitting", 3}, {"ca", "abc", 3}};
  for (const auto& c : cases) {
    CAPTURE(c.a);
    CAPTURE(c.b);
    CHECK(edit_distance(c.a, c.b) == c.distance);
    CHECK(edit_distance(c.b, c.a) == c.distance);
  }
}

TEST_CASE("The nearest word differs by a typing mistake, or contains the typed word") {
  const std::vector<std::string> known = {"--tablePort", "-l",    "--location", "--inMemoryPersistence",
                                          "--silent",    "--tls", "snapshot",   "reset"};
  struct {
    const char *word, *nearest;
  } cases[] = {{"--tablePrt", "--tablePort"},
               {"--tableport", "--tablePort"},
               {"-tablePort", "--tablePort"},
               {"tablePort", "--tablePort"},
               {"--locaton", "--location"},
               {"--loc", ""},
               {"--inMemory", "--inMemoryPersistence"},
               {"--port", "--tablePort"},
               {"--tsl", "--tls"},
               {"snapshto", "snapshot"},
               {"rest", "reset"},
               {"-x", ""},
               {"--", ""},
               {"", ""},
               {"--nonsense", ""},
               {"banana", ""}};
  for (const auto& c : cases) {
    CAPTURE(c.word);
    CHECK(nearest_word(c.word, known).value_or("") == c.nearest);
  }
  CHECK_FALSE(nearest_word("word", {}).has_value());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
