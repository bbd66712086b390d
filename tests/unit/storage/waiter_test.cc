#include "storage/waiter.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

TEST_CASE("a thread that runs one call waits for a socket until its deadline") {
  std::array<int, 2> ends{};
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0);
  Waiter& waiter = Waiter::current();
  CHECK_FALSE(waiter.await_socket(ends[0], POLLIN, Waiter::Clock::now() + 10ms));
  CHECK_FALSE(waiter.await_socket(ends[0], POLLIN, Waiter::Clock::now() - 1s));
  CHECK(waiter.await_socket(ends[0], POLLOUT, Waiter::Clock::now() + 1h));
  REQUIRE(write(ends[1], "x", 1) == 1);
  CHECK(waiter.await_socket(ends[0], POLLIN, Waiter::Clock::now() + 1h));
  for (const int end : ends) close(end);
}

TEST_CASE("a thread sleeps until it is woken, also if that was before") {
  Waiter& waiter = Waiter::current();
  const auto later = Waiter::Clock::now() + 1h;
  waiter.waker()();
  CHECK(waiter.sleep(later));
  std::thread other([wake = waiter.waker()] { wake(); });
  CHECK(waiter.sleep(Waiter::Clock::time_point::max()));
  other.join();
  CHECK_FALSE(waiter.sleep(Waiter::Clock::now() + 1ms));
}

TEST_CASE("who sleeps too long withdraws, unless somebody has woken him meanwhile") {
  Waiter& waiter = Waiter::current();
  const auto soon = Waiter::Clock::now() + 1ms;
  CHECK_FALSE(waiter.sleep_until(soon, [] { return true; }));
  const auto wake = waiter.waker();
  CHECK(waiter.sleep_until(soon, [&] {
    wake();
    return false;
  }));
  CHECK_FALSE(waiter.sleep(soon));  // that wake is used up
}

TEST_CASE("the time of a call on a thread counts from when it was accepted") {
  const auto then = Waiter::Clock::now() - 1h;
  {
    const Waiter::CallOfThread call(then);
    CHECK(Waiter::current().since() == then);
  }
  CHECK(Waiter::current().since() > then);
}

TEST_CASE("each thread has a waiter of its own") {
  const Waiter* other = nullptr;
  std::thread([&] { other = &Waiter::current(); }).join();
  CHECK(other != &Waiter::current());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
