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
  waiter.waker()();
  waiter.sleep();
  std::thread other([wake = waiter.waker()] { wake(); });
  waiter.sleep();
  other.join();
}

TEST_CASE("each thread has a waiter of its own") {
  const Waiter* other = nullptr;
  std::thread([&] { other = &Waiter::current(); }).join();
  CHECK(other != &Waiter::current());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
