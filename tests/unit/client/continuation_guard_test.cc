// Lists whose pages lead nowhere.
#include "client/continuation_guard.h"

#include <doctest/doctest.h>

namespace rocktable {
namespace {

// How many pages of a list are read whose tokens are 0, 1, ... up to `length`, and then again and again those from
// `length - cycle` on; 0: no fault is found within a thousand cycles.
int pages_until_fault(int length, int cycle) {
  ContinuationGuard guard;
  for (int page = 0; page < length + 1000 * cycle; ++page) {
    const int token = page < length ? page : length - cycle + (page - length) % cycle;
    if (!guard.fault(std::to_string(token), 1).empty()) return page + 1;
  }
  return 0;
}

}  // namespace

TEST_CASE("a continuation token that comes again is found, whatever comes between") {
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

TEST_CASE("a list with an end is read to it, however long it is") {
  ContinuationGuard guard;
  for (int page = 0; page < 100'000; ++page) REQUIRE(guard.fault(std::to_string(page), 1).empty());
}

TEST_CASE("pages without rows are read, but not for ever") {
  ContinuationGuard guard(3);
  int page = 0;
  const auto is_refused = [&](std::size_t rows) {
    return !guard.fault(std::to_string(page++), rows).empty();
  };
  for (int round = 0; round < 10; ++round) {
    for (int empty = 0; empty < 3; ++empty) CHECK_FALSE(is_refused(0));
    CHECK_FALSE(is_refused(1));
  }
  for (int empty = 0; empty < 3; ++empty) CHECK_FALSE(is_refused(0));
  CHECK(is_refused(0));
}

}  // namespace rocktable
