#include "storage/postgres/step_groups.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "odata/error.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

PgDeadline later() { return Waiter::Clock::now() + 24h; }

PgStep step_of(const std::string& text) {
  PgStep out{Statement::InsertOne};
  out.parameters.add(text);
  return out;
}

std::string text_of(const PgStep& step) {
  if (step.statement != Statement::InsertOne) return "prefix";
  return {step.parameters.pointers()[0], static_cast<std::size_t>(step.parameters.lengths()[0])};
}

// A database that works on groups only when the test lets it, and a clock that the test turns.
class Fixture {
 public:
  // Starts a call, and returns when it waits or when its group has begun. Its outcome is that of `outcomes`, at its
  // number.
  void call(std::string key, PgDeadline deadline = later()) {
    const std::size_t number = outcomes.size();
    outcomes.emplace_back();
    threads_.emplace_back([this, number, key = std::move(key), deadline] {
      PgStep step = step_of(key);
      std::string outcome;
      try {
        outcome = groups.run(key, step, deadline) ? "done" : "alone: " + text_of(step);
      } catch (const PgConnectionLost&) {
        outcome = "lost";
      } catch (const ServiceException&) {
        outcome = "busy";
      } catch (const std::runtime_error&) {
        outcome = "failed";
      }
      const std::lock_guard lock(mutex_);
      outcomes[number] = outcome;
    });
    REQUIRE(wait_until([&] { return begun() + groups.waiting() == outcomes.size() - withdrawn_; }));
  }

  // Starts a call whose deadline is over, and returns when it has withdrawn.
  void late_call() {
    const std::size_t number = outcomes.size();
    ++withdrawn_;
    call("late", Waiter::Clock::now());
    REQUIRE(wait_until([&] {
      const std::lock_guard lock(mutex_);
      return outcomes[number] == "busy";
    }));
  }

  // The steps of each group.
  std::vector<std::string> sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

  // The number of steps in these groups, without prefixes.
  std::size_t begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

  // Lets the database work on all groups from now on, and waits for the ends of all calls.
  void finish() {
    {
      const std::lock_guard lock(mutex_);
      is_open_ = true;
    }
    opened_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  static constexpr std::chrono::milliseconds kUsualTime = 2h;
  std::atomic<PgDeadline> now = Waiter::Clock::now();
  std::function<void()> fails = [] {};  // in a group of several
  std::vector<std::string> outcomes;
  std::vector<PgDeadline> deadlines;  // of the groups
  StepGroups groups{[this](const std::vector<PgStep>& steps, PgDeadline deadline) {
                      std::unique_lock lock(mutex_);
                      deadlines.push_back(deadline);
                      std::string all;
                      for (const PgStep& step : steps) {
                        all += (all.empty() ? "" : " ") + text_of(step).substr(0, 10);
                        begun_ += step.statement == Statement::InsertOne ? 1 : 0;
                      }
                      sent_.push_back(all);
                      opened_.wait(lock, [this] { return is_open_; });
                      if (steps.size() > 1) fails();
                      std::vector<PgRows> out;
                      out.resize(steps.size());
                      return out;
                    },
                    Statement::BrieflyLocked, kUsualTime, [this] { return now.load(); }};

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  bool is_open_ = false;
  std::vector<std::string> sent_;
  std::size_t begun_ = 0, withdrawn_ = 0;
  std::vector<std::thread> threads_;
};

TEST_CASE_FIXTURE(Fixture, "what comes while two groups are on their way shares the next one, in the order of keys") {
  for (const char* key : {"x", "y", "c", "a", "b"}) call(key);
  CHECK(sent() == std::vector<std::string>{"x", "y"});
  finish();
  CHECK(sent() == std::vector<std::string>{"x", "y", "prefix a b c"});
  CHECK(outcomes == std::vector<std::string>(5, "done"));
}

TEST_CASE_FIXTURE(Fixture, "if a group fails, each of its calls has its step again, to run it alone") {
  fails = [] { throw PgError("55P03", "a lock is held"); };
  for (const char* key : {"x", "y", "b", "a"}) call(key);
  finish();
  CHECK(outcomes == std::vector<std::string>{"done", "done", "alone: b", "alone: a"});
}

TEST_CASE_FIXTURE(Fixture, "if the connection of a group is lost, all its calls know it") {
  fails = [] { throw PgConnectionLost("it is gone", false); };
  for (const char* key : {"x", "y", "b", "a"}) call(key);
  finish();
  CHECK(outcomes == std::vector<std::string>{"done", "done", "lost", "lost"});
}

TEST_CASE("a call that meets nobody gets the failure itself") {
  StepGroups groups(
      [](const std::vector<PgStep>&, PgDeadline) -> std::vector<PgRows> { throw std::runtime_error("refused"); });
  PgStep step = step_of("a");
  CHECK_THROWS_WITH_AS(groups.run("a", step, later()), "refused", std::runtime_error);
  CHECK(text_of(step) == "a");
  CHECK_THROWS_AS(groups.run("a", step, later()), std::runtime_error);  // its place is free again
  CHECK_THROWS_AS(groups.run("a", step, later()), std::runtime_error);
}

TEST_CASE_FIXTURE(Fixture, "a call whose group does not begin in time is not done") {
  for (const char* key : {"x", "y"}) call(key);
  late_call();
  call("a");
  finish();
  CHECK(outcomes == std::vector<std::string>{"done", "done", "busy", "done"});
  CHECK(sent() == std::vector<std::string>{"x", "y", "a"});
}

TEST_CASE_FIXTURE(Fixture, "a group runs until the first deadline of its calls, whoever leads it") {
  const PgDeadline soon = Waiter::Clock::now() + 12h;
  call("x");
  call("y");
  call("a");
  call("b", soon);
  call("c");
  finish();
  CHECK(sent() == std::vector<std::string>{"x", "y", "prefix a b c"});
  CHECK(deadlines.back() == soon);
}

TEST_CASE_FIXTURE(Fixture, "a call with little time left runs alone, so that its end is not that of others") {
  const std::string late = "late";
  const PgDeadline deadline = Waiter::Clock::now() + 1h;
  call("x");
  call("y");
  call("a");
  call("b");
  call(late, deadline);
  call("c");
  call("d");
  now = deadline - 490ms;
  finish();
  std::vector<std::string> rest = sent();
  rest.erase(rest.begin(), rest.begin() + 2);
  std::ranges::sort(rest);
  CHECK(rest == std::vector<std::string>{late, "prefix a b", "prefix c d"});
}

TEST_CASE_FIXTURE(Fixture, "slow groups keep no others waiting: the next call begins one, or begin_overdue() does") {
  for (const char* key : {"x", "y", "a"}) call(key);
  groups.begin_overdue();
  CHECK(sent() == std::vector<std::string>{"x", "y"});
  now = now.load() + kUsualTime;
  groups.begin_overdue();
  CHECK(wait_until([&] { return sent().size() == 3; }));
  call("b");
  CHECK(wait_until([&] { return sent().size() == 4; }));
  CHECK(sent() == std::vector<std::string>{"x", "y", "a", "b"});
  finish();
}

TEST_CASE_FIXTURE(Fixture, "a group has at most sixteen steps, and not many bytes") {
  call("x");
  call("y");
  for (int i = 0; i < 17; ++i) call(std::string(1, static_cast<char>('a' + i)));
  for (const char* key : {"1", "2", "3"}) call(key + std::string(600'000, 'l'));
  finish();
  std::vector<std::string> rest = sent();
  rest.erase(rest.begin(), rest.begin() + 2);
  std::ranges::sort(rest);
  CHECK(rest == std::vector<std::string>{"2lllllllll", "3lllllllll", "prefix 1lllllllll q",
                                         "prefix a b c d e f g h i j k l m n o p"});
  CHECK(outcomes == std::vector<std::string>(22, "done"));
}

TEST_CASE("many threads, each with its own outcome") {
  std::atomic<int> steps = 0, groups_made = 0;
  StepGroups groups([&](const std::vector<PgStep>& all, PgDeadline) {
    ++groups_made;
    steps += static_cast<int>(all.size());
    if (groups_made % 7 == 0) throw PgError("40P01", "a deadlock");
    std::vector<PgRows> out;
    out.resize(all.size());
    return out;
  });
  std::atomic<int> done = 0, alone = 0, failed = 0;
  std::vector<std::thread> threads;
  for (int number = 0; number < 8; ++number)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        PgStep step = step_of(std::to_string(i));
        try {
          ++(groups.run(std::to_string(i), step, later()) ? done : alone);
        } catch (const PgError&) {
          ++failed;
        }
        REQUIRE(text_of(step) == std::to_string(i));
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(done + alone + failed == 4000);
  CHECK(steps == 4000);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
