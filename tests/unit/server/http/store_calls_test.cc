#include "server/http/store_calls.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rocktable {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

// Two connected sockets.
class SocketPair {
 public:
  SocketPair() { REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()) == 0); }
  ~SocketPair() {
    for (const int end : ends_) close(end);
  }
  SocketPair(const SocketPair&) = delete;
  SocketPair& operator=(const SocketPair&) = delete;

  int near() const { return ends_[0]; }
  void send() const { REQUIRE(write(ends_[1], "x", 1) == 1); }

 private:
  std::array<int, 2> ends_{};
};

class Fixture {
 public:
  explicit Fixture(std::size_t most = 10) : calls(context, blocking, most) {}

  // Starts a call. Counts it when it has ended.
  void start(std::function<void()> work) {
    asio::co_spawn(context, calls.run(std::move(work)), [this](const std::exception_ptr& thrown) {
      ++ended;
      failure = thrown;
    });
  }
  void run() { context.run_for(50ms); }

  asio::io_context context{1};
  asio::thread_pool blocking{4};
  StoreCalls calls;
  int ended = 0;
  std::exception_ptr failure;
};

CallWaiter::Clock::time_point later() { return CallWaiter::Clock::now() + 1h; }

TEST_CASE("a call that waits lets others run, and goes on when its socket is ready") {
  Fixture fixture;
  const SocketPair slow, fast;
  std::string order;
  fixture.start([&] {
    CHECK(CallWaiter::current()->await_socket(slow.near(), POLLIN, later()));
    order += "slow";
  });
  fixture.start([&] {
    CHECK(CallWaiter::current()->await_socket(fast.near(), POLLIN, later()));
    order += "fast ";
  });
  fixture.run();
  CHECK(fixture.ended == 0);
  fast.send();
  fixture.run();
  CHECK(fixture.ended == 1);
  slow.send();
  fixture.run();
  CHECK(fixture.ended == 2);
  CHECK(order == "fast slow");
  CHECK(CallWaiter::current() == nullptr);
}

TEST_CASE("a call waits for one socket many times, and for what can be written") {
  Fixture fixture;
  const SocketPair sockets;
  int waits = 0;
  fixture.start([&] {
    CHECK(CallWaiter::current()->await_socket(sockets.near(), POLLIN | POLLOUT, later()));
    for (char byte = 0; waits < 3; ++waits) {
      CHECK(CallWaiter::current()->await_socket(sockets.near(), POLLIN, later()));
      CHECK(read(sockets.near(), &byte, 1) == 1);
    }
  });
  for (int i = 0; i < 3; ++i) {
    fixture.run();
    CHECK(waits == i);
    sockets.send();
  }
  fixture.run();
  CHECK(fixture.ended == 1);
}

TEST_CASE("a wait ends at its deadline, and the socket can be waited for again") {
  Fixture fixture;
  const SocketPair sockets;
  std::vector<bool> outcomes;
  fixture.start([&] {
    outcomes.push_back(CallWaiter::current()->await_socket(sockets.near(), POLLIN, CallWaiter::Clock::now()));
    outcomes.push_back(CallWaiter::current()->await_socket(sockets.near(), POLLIN, later()));
  });
  fixture.run();
  CHECK(outcomes.empty());
  fixture.calls.sweep(CallWaiter::Clock::now());
  CHECK(outcomes == std::vector{false});
  sockets.send();
  fixture.run();
  CHECK(outcomes == std::vector{false, true});
  CHECK(fixture.ended == 1);
}

TEST_CASE("a socket that was closed, and its number that is used again, make no call wait for ever") {
  Fixture fixture;
  int rounds = 0;
  fixture.start([&] {
    for (; rounds < 20; ++rounds) {
      const SocketPair sockets;
      sockets.send();
      CHECK(CallWaiter::current()->await_socket(sockets.near(), POLLIN, later()));
    }
  });
  fixture.run();
  CHECK(rounds == 20);
}

TEST_CASE("as many calls run at the same time as are allowed, the others in their order") {
  Fixture fixture(2);
  std::array<SocketPair, 5> sockets;
  std::string begun;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    fixture.start([&, i] {
      begun += static_cast<char>('0' + i);
      CallWaiter::current()->await_socket(sockets[i].near(), POLLIN, later());
    });
  }
  fixture.run();
  CHECK(begun == "01");
  sockets[1].send();
  fixture.run();
  CHECK(begun == "012");
  for (const SocketPair& each : sockets) each.send();
  fixture.run();
  CHECK(begun == "01234");
  CHECK(fixture.ended == 5);
}

TEST_CASE("work that blocks runs on another thread, where calls have no waiter") {
  Fixture fixture;
  const auto own = std::this_thread::get_id();
  fixture.start([&] {
    run_blocking([&] {
      CHECK(std::this_thread::get_id() != own);
      CHECK(CallWaiter::current() == nullptr);
    });
    CHECK(std::this_thread::get_id() == own);
    CHECK(CallWaiter::current() == &fixture.calls);
    CHECK_THROWS_WITH_AS(run_blocking([] { throw std::runtime_error("there"); }), "there",
                         std::runtime_error);
  });
  fixture.run();
  CHECK(fixture.ended == 1);
  CHECK(fixture.failure == nullptr);
}

TEST_CASE("a call sleeps until it is woken, also if that was before") {
  Fixture fixture;
  std::function<void()> wake;
  int woken = 0;
  fixture.start([&] {
    wake = CallWaiter::current()->waker();
    CallWaiter::current()->sleep();
    ++woken;
    CallWaiter::current()->waker()();
    CallWaiter::current()->sleep();
    ++woken;
  });
  fixture.run();
  CHECK(woken == 0);
  std::thread(wake).join();
  fixture.run();
  CHECK(woken == 2);
  CHECK(fixture.ended == 1);
}

TEST_CASE("what a call throws comes out of run()") {
  Fixture fixture;
  fixture.start([] { throw std::runtime_error("at once"); });
  fixture.run();
  CHECK(fixture.ended == 1);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(fixture.failure), "at once", std::runtime_error);
  fixture.start([] {
    run_blocking([] {});
    throw std::runtime_error("later");
  });
  fixture.run();
  CHECK(fixture.ended == 2);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(fixture.failure), "later", std::runtime_error);
}

}  // namespace
}  // namespace rocktable
