// PageBudget: how the memory of a page grows, and when a page must end.
#include "server/limits/page_budget.h"

#include <doctest/doctest.h>

#include <string>

#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::size_t kMiB = 1 << 20;

// Renders entities of a given size until the page is full. Returns the size of the page.
std::size_t fill(std::string& body, MemoryBudget::Share& share, std::size_t entity_bytes) {
  PageBudget memory(body, share);
  do {
    body.append(entity_bytes, 'x');
  } while (!memory.is_full());
  return body.size();
}

TEST_CASE("A page ends with the entity that reaches its limit of rendered bytes") {
  for (const std::size_t entity : {1'000, 70'000, 1'000'000, 3'000'000, 20'000'000}) {
    CAPTURE(entity);
    MemoryBudget budget(256 * kMiB);
    MemoryBudget::Share share(budget);
    std::string body;
    const std::size_t size = fill(body, share, entity);
    CHECK(size >= kMaxPageBytes);
    CHECK(size - entity < kMaxPageBytes);
  }
}

TEST_CASE("The share of a page covers its rendered bytes while it grows") {
  MemoryBudget budget(256 * kMiB);
  MemoryBudget::Share share(budget);
  std::string body;
  PageBudget memory(body, share);
  for (bool full = false; !full;) {
    body.append(10'000, 'x');
    full = memory.is_full();
    if (!full) CHECK(share.bytes() + kFreeBytes >= body.size());
  }
  CHECK(share.bytes() <= kMaxPageBytes + kMiB);
}

TEST_CASE("A page ends early if the budget is spent, but never before its first entity") {
  MemoryBudget budget(8 * kMiB);
  MemoryBudget::Share others(budget), share(budget);
  REQUIRE(others.take(5 * kMiB));
  std::string body;
  const std::size_t size = fill(body, share, 10'000);
  CHECK(size > 2 * kMiB);
  CHECK(size <= 3 * kMiB);
  CHECK(budget.held() <= 8 * kMiB);

  MemoryBudget::Share late(budget);
  std::string one;
  CHECK(fill(one, late, 100'000) == 100'000);
}

TEST_CASE("A page that is smaller than expected frees the unused capacity") {
  MemoryBudget budget(256 * kMiB);
  MemoryBudget::Share share(budget);
  std::string body;
  PageBudget memory(body, share, kMaxPageBytes);
  body.append(60'000, 'x');
  CHECK_FALSE(memory.is_full());
  memory.finish();
  CHECK(body.size() == 60'000);
  CHECK(body.capacity() < 2 * body.size());
}

TEST_CASE("A small page needs no share, even if memory is short") {
  MemoryBudget budget(kMiB);
  MemoryBudget::Share others(budget), share(budget);
  others.charge(2 * kMiB);
  std::string body;
  PageBudget memory(body, share);
  body.append(kFreeBytes - 1, 'x');
  CHECK_FALSE(memory.is_full());
  CHECK_FALSE(share.is_held());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
