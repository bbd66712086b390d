// Who waits for a connection, and who does not: the limit, the line, and scans, which leave places to others.
#include "storage/postgres/database/pg_pool.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <optional>
#include <vector>

#include "odata/error.h"
#include "tests/unit/storage/store.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

PgDeadline later() { return Waiter::Clock::now() + 1min; }
PgDeadline soon() { return Waiter::Clock::now() + 50ms; }

class Fixture {
 public:
  explicit Fixture(std::size_t limit = 4) : pool(options_.url, dialect_of(layout_of_tests()), 10s, limit, health_) {}

 private:
  StoreOptions options_ = test_store();
  OpenedStore store_{options_};  // makes the tables
  PgHealth health_{{}};

 public:
  PgPool pool;
};

class OfOne : public Fixture {
 public:
  OfOne() : Fixture(1) {}
};

TEST_SUITE_BEGIN("pool of connections" * doctest::skip(!is_in_database()));

TEST_CASE_FIXTURE(Fixture, "scans leave a quarter of the places to others, who may use all") {
  std::vector<PgPool::Lease> scans;
  for (int i = 0; i < 3; ++i) scans.push_back(pool.take(later(), PgUse::Scan));
  CHECK_THROWS_AS(pool.take(soon(), PgUse::Scan), ServiceException);
  {
    const PgPool::Lease other = pool.take(later());
    CHECK_THROWS_AS(pool.take(soon()), ServiceException);
  }
  CHECK_THROWS_AS(pool.take(soon(), PgUse::Scan), ServiceException);  // also not one that is idle
  scans.clear();
  std::vector<PgPool::Lease> others;
  for (int i = 0; i < 4; ++i) others.push_back(pool.take(later()));
  CHECK(pool.counts().in_use == 4);
}

TEST_CASE_FIXTURE(Fixture, "a scan that waits for another keeps no others waiting, and has its place after it") {
  std::optional<PgPool::Lease> first = pool.take(later(), PgUse::Scan);
  std::vector<PgPool::Lease> scans;
  for (int i = 0; i < 2; ++i) scans.push_back(pool.take(later(), PgUse::Scan));
  auto waiting = std::async(std::launch::async, [this] { return pool.take(later(), PgUse::Scan); });
  REQUIRE(wait_until([&] { return pool.counts().waiting > 0; }));
  for (int i = 0; i < 3; ++i) const PgPool::Lease other = pool.take(later());
  CHECK(waiting.wait_for(0s) == std::future_status::timeout);
  first.reset();
  const PgPool::Lease next = waiting.get();
  CHECK(pool.counts().waiting == 0);
  CHECK(pool.counts().in_use == 3);
}

TEST_CASE_FIXTURE(OfOne, "the only connection is for scans, too") {
  {
    const PgPool::Lease scan = pool.take(later(), PgUse::Scan);
  }
  const PgPool::Lease other = pool.take(later());
  CHECK_THROWS_AS(pool.take(soon(), PgUse::Scan), ServiceException);
}

TEST_SUITE_END();

}  // namespace
}  // namespace rocktable::TEST_FILE
