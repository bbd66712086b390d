// The clock of timestamps: strictly increasing, and never beyond the persisted mark.
#include "storage/rocksdb/concurrency/clock.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

DateTime plus(DateTime time, std::int64_t ticks) { return {time.ticks + ticks}; }

void ignore(DateTime) {}

TEST_CASE("a tick is the wall clock's time") {
  Clock clock(DateTime{}, ignore);
  const DateTime before = now();
  const DateTime tick = clock.next();
  CHECK(before <= tick);
  CHECK(tick <= now());
}

TEST_CASE("ticks increase strictly, however fast next() is called") {
  Clock clock(DateTime{}, ignore);
  DateTime last = clock.next();
  for (int i = 0; i < 100'000; ++i) {
    const DateTime tick = clock.next();
    REQUIRE(last < tick);
    last = tick;
  }
}

TEST_CASE("ticks continue after a tick of another store, which counts as persisted") {
  std::vector<DateTime> marks;
  const DateTime start = now();
  Clock clock(start, [&](DateTime mark) { marks.push_back(mark); });
  const DateTime far = plus(start, 1'000'000'000);
  clock.pass(far);
  CHECK(clock.mark() == far);
  clock.pass(start);
  CHECK(clock.mark() == far);
  const DateTime tick = clock.next();
  CHECK(tick == plus(far, 1));
  REQUIRE(marks.size() == 1);
  CHECK(tick <= marks[0]);
  CHECK(clock.mark() == marks[0]);
}

// After the wall clock was set back, or if the store was written on a machine whose clock is ahead.
TEST_CASE("a mark in the future is continued tick by tick") {
  const DateTime mark = plus(now(), 3600 * kTicksPerSecond);
  Clock clock(mark, ignore);
  CHECK(clock.last() == mark);
  for (int i = 1; i <= 1000; ++i) REQUIRE(clock.next() == plus(mark, i));
  CHECK(clock.last() == plus(mark, 1000));
}

TEST_CASE("ticks begin anew if they are more than a minute ahead, and so does the mark") {
  std::vector<DateTime> marks;
  const auto ahead = [&](std::int64_t seconds) {
    Clock clock(plus(now(), seconds * kTicksPerSecond), [&](DateTime mark) { marks.push_back(mark); });
    clock.begin_anew();
    return (clock.next().ticks - now().ticks) / kTicksPerSecond;
  };
  CHECK(ahead(3600) == 0);
  REQUIRE(marks.size() == 1);
  CHECK(marks[0] <= plus(now(), kTicksPerSecond));
  CHECK(ahead(30) >= 28);  // no tick comes twice after a burst
}

TEST_CASE("a mark in the past has no effect") {
  Clock clock(plus(now(), -3600 * kTicksPerSecond), ignore);
  const DateTime before = now();
  CHECK(before <= clock.next());
}

TEST_CASE("a mark is persisted once for each second of ticks, before the first tick beyond it") {
  const DateTime mark = plus(now(), 3600 * kTicksPerSecond);  // so that ticks do not depend on the wall clock
  std::vector<DateTime> marks;
  Clock clock(mark, [&](DateTime next_mark) { marks.push_back(next_mark); });
  CHECK(marks.empty());  // not before the first tick
  clock.next();
  REQUIRE(marks.size() == 1);
  CHECK(marks[0] == plus(mark, 1 + kTicksPerSecond));
  for (int i = 0; i < 100'000; ++i) clock.next();
  CHECK(marks.size() == 1);
}

TEST_CASE("no tick is beyond the persisted mark") {
  DateTime mark;
  int persisted = 0;
  Clock clock(DateTime{}, [&](DateTime next_mark) {
    CHECK(mark < next_mark);
    mark = next_mark;
    ++persisted;
  });
  const DateTime start = clock.next();
  DateTime tick = start;
  while (tick.ticks < start.ticks + 5 * kTicksPerSecond / 4) {
    tick = clock.next();
    REQUIRE(tick <= mark);
    std::this_thread::yield();
  }
  CHECK(persisted >= 2);
  CHECK(persisted <= 2 + (tick.ticks - start.ticks) / kTicksPerSecond);
}

TEST_CASE("a clock that starts at the mark of another is beyond all ticks of that one") {
  DateTime mark;
  const auto persist = [&](DateTime next_mark) { mark = next_mark; };
  DateTime last;
  for (int restart = 0; restart < 5; ++restart) {
    Clock clock(mark, persist);
    for (int i = 0; i < 10; ++i) {
      const DateTime tick = clock.next();
      CHECK(last < tick);
      last = tick;
    }
  }
}

TEST_CASE("if the mark cannot be persisted, no tick is returned") {
  bool disk_is_full = true;
  DateTime mark;
  Clock clock(DateTime{}, [&](DateTime next_mark) {
    if (disk_is_full) throw std::runtime_error("disk full");
    mark = next_mark;
  });
  CHECK_THROWS_AS(clock.next(), std::runtime_error);
  CHECK_THROWS_AS(clock.next(), std::runtime_error);
  CHECK(clock.last() == DateTime{});
  disk_is_full = false;
  CHECK(clock.next() <= mark);
}

TEST_CASE("ticks of several threads are all different, and each thread's increase") {
  constexpr std::size_t kThreads = 4, kTicks = 20'000;
  std::atomic<std::int64_t> mark{0};
  Clock clock(DateTime{}, [&](DateTime next_mark) { mark = next_mark.ticks; });
  std::vector<std::vector<DateTime>> ticks(kThreads);
  std::atomic<bool> within_mark{true};
  {
    std::vector<std::jthread> threads;
    for (auto& mine : ticks) {
      threads.emplace_back([&] {
        for (std::size_t i = 0; i < kTicks; ++i) {
          mine.push_back(clock.next());
          if (mine.back().ticks > mark) within_mark = false;
        }
      });
    }
  }
  CHECK(within_mark);
  std::vector<DateTime> all;
  for (const auto& mine : ticks) {
    CHECK(std::adjacent_find(mine.begin(), mine.end(), std::greater_equal<>()) == mine.end());
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
  CHECK(clock.last() == all.back());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
