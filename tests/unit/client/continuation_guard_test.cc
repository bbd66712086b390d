// Lists whose pages never end.
#include "client/continuation_guard.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

// Reads pages with the tokens 0, 1, ..., `length`, and then repeatedly those from `length - cycle` on.
// Returns after how many pages a fault is reported; 0 if none is within a thousand cycles.
int pages_until_fault(int length, int cycle) {
  ContinuationGuard guard;
  for (int page = 0; page < length + 1000 * cycle; ++page) {
    const int token = page < length ? page : length - cycle + (page - length) % cycle;
    if (!guard.fault(std::to_string(token), 1).empty()) return page + 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("a repeated continuation token is detected, whatever the length of the cycle") {
  for (int length = 1; length < 70; ++length)
    for (int cycle = 1; cycle <= length; ++cycle) {
      CAPTURE(length);
      CAPTURE(cycle);
      const int pages = pages_until_fault(length, cycle);
      CHECK(pages > length);
      CHECK(pages <= 4 * length + 1);
    }
  CHECK(pages_until_fault(1, 1) == 2);
}

TEST_CASE("a long list without a cycle is accepted") {
  ContinuationGuard guard;
  for (int page = 0; page < 100'000; ++page) REQUIRE(guard.fault(std::to_string(page), 1).empty());
}

TEST_CASE("a limited number of empty pages in a row is accepted") {
  ContinuationGuard guard(3);
  int page = 0;
  const auto is_refused = [&](std::size_t rows) { return !guard.fault(std::to_string(page++), rows).empty(); };
  for (int round = 0; round < 10; ++round) {
    for (int empty = 0; empty < 3; ++empty) CHECK_FALSE(is_refused(0));
    CHECK_FALSE(is_refused(1));
  }
  for (int empty = 0; empty < 3; ++empty) CHECK_FALSE(is_refused(0));
  CHECK(is_refused(0));
}

}  // namespace rocktable::TEST_FILE
