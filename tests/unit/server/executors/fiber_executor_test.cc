#include "server/executors/fiber_executor.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <chrono>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace rocktable::TEST_FILE {
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
  explicit Fixture(std::size_t limit = 10) : calls(context, blocking, limit, 10s) {}

  // Starts a call. Counts it when it has ended.
  void start(std::function<void()> work) {
    asio::co_spawn(context, calls.run(Waiter::Clock::now(), std::move(work)),
                   [this](const std::exception_ptr& thrown, bool has_begun) {
                     ++ended;
                     if (!has_begun && !thrown) ++late;
                     failure = thrown;
                   });
  }
  // Runs all that can run: until nothing has happened for a while.
  void run() {
    while (context.run_one_for(50ms) > 0) {
    }
  }

  asio::io_context context{1};
  asio::thread_pool blocking{4};
  FiberExecutor calls;
  int ended = 0, late = 0;
  std::exception_ptr failure;
};

Waiter::Clock::time_point later() { return Waiter::Clock::now() + 1h; }

TEST_CASE("a call that waits lets others run, and goes on when its socket is ready") {
  const Waiter& of_thread = Waiter::current();
  Fixture fixture;
  const SocketPair slow, fast;
  std::string order;
  fixture.start([&] {
    CHECK(Waiter::current().await_socket(slow.near(), POLLIN, later()));
    order += "slow";
  });
  fixture.start([&] {
    CHECK(Waiter::current().await_socket(fast.near(), POLLIN, later()));
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
  CHECK(&Waiter::current() == &of_thread);
}

TEST_CASE("a call waits for one socket many times, and for what can be written") {
  Fixture fixture;
  const SocketPair sockets;
  int waits = 0;
  fixture.start([&] {
    CHECK(Waiter::current().await_socket(sockets.near(), POLLIN | POLLOUT, later()));
    for (char byte = 0; waits < 3; ++waits) {
      CHECK(Waiter::current().await_socket(sockets.near(), POLLIN, later()));
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
    outcomes.push_back(Waiter::current().await_socket(sockets.near(), POLLIN, Waiter::Clock::now()));
    outcomes.push_back(Waiter::current().await_socket(sockets.near(), POLLIN, later()));
  });
  fixture.run();
  CHECK(outcomes.empty());
  fixture.calls.sweep(Waiter::Clock::now());
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
      CHECK(Waiter::current().await_socket(sockets.near(), POLLIN, later()));
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
      Waiter::current().await_socket(sockets[i].near(), POLLIN, later());
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

TEST_CASE("a call that waits for its turn for too long does not begin") {
  Fixture fixture(1);
  const SocketPair silent;
  const auto wait = [&] { Waiter::current().await_socket(silent.near(), POLLIN, later()); };
  std::string begun;
  fixture.start(wait);
  for (const char name : {'a', 'b'}) fixture.start([&begun, name] { begun += name; });
  fixture.run();
  fixture.calls.sweep(Waiter::Clock::now() + 9s);
  fixture.run();
  CHECK(fixture.late == 0);
  fixture.calls.sweep(Waiter::Clock::now() + 10s);
  fixture.run();
  CHECK(fixture.late == 2);
  fixture.start([&begun] { begun += 'c'; });
  silent.send();
  fixture.run();
  CHECK(begun == "c");
  CHECK(fixture.ended == 4);
  CHECK(fixture.late == 2);
}

TEST_CASE("work that blocks runs on another thread, where calls wait as that thread does") {
  Fixture fixture;
  const auto own = std::this_thread::get_id();
  fixture.start([&] {
    Waiter::current().run_blocking([&] {
      CHECK(std::this_thread::get_id() != own);
      CHECK(&Waiter::current() != &fixture.calls);
    });
    CHECK(std::this_thread::get_id() == own);
    CHECK(&Waiter::current() == &fixture.calls);
    CHECK_THROWS_WITH_AS(Waiter::current().run_blocking([] { throw std::runtime_error("there"); }), "there",
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
    wake = Waiter::current().waker();
    Waiter::current().sleep(later());
    ++woken;
    Waiter::current().waker()();
    Waiter::current().sleep(later());
    ++woken;
  });
  fixture.run();
  CHECK(woken == 0);
  std::thread(wake).join();
  fixture.run();
  CHECK(woken == 2);
  CHECK(fixture.ended == 1);
}

TEST_CASE("a call sleeps until its deadline, and can be woken again") {
  Fixture fixture;
  std::vector<bool> outcomes;
  std::function<void()> wake;
  fixture.start([&] {
    outcomes.push_back(Waiter::current().sleep(Waiter::Clock::now()));
    wake = Waiter::current().waker();
    outcomes.push_back(Waiter::current().sleep(later()));
  });
  fixture.run();
  CHECK(outcomes.empty());
  fixture.calls.sweep(Waiter::Clock::now());
  CHECK(outcomes == std::vector{false});
  wake();
  fixture.run();
  CHECK(outcomes == std::vector{false, true});
  CHECK(fixture.ended == 1);
}

TEST_CASE("a wake that comes while a call waits for a socket does not end that wait") {
  Fixture fixture;
  const SocketPair sockets;
  std::string order;
  fixture.start([&] {
    const auto wake = Waiter::current().waker();
    wake();
    Waiter::current().await_socket(sockets.near(), POLLIN, later());
    order += "ready ";
    Waiter::current().sleep(later());
    order += "woken";
  });
  fixture.run();
  CHECK(order.empty());
  sockets.send();
  fixture.run();
  CHECK(order == "ready woken");
}

TEST_CASE("calls that sleep leave their turn to others, and their stacks go when they have ended") {
  Fixture fixture(1);
  std::vector<std::function<void()>> wakers;
  std::string order;
  for (int i = 0; i < 100; ++i) {
    fixture.start([&] {
      wakers.push_back(Waiter::current().waker());
      Waiter::current().sleep(later());
    });
  }
  fixture.start([&] { order += "other "; });
  fixture.run();
  CHECK(wakers.size() == 100);
  CHECK(order == "other ");
  const SocketPair sockets;
  fixture.start([&] { Waiter::current().await_socket(sockets.near(), POLLIN, later()); });
  fixture.start([&] { order += "next"; });
  fixture.run();
  CHECK(order == "other ");
  for (const auto& wake : wakers) wake();
  fixture.run();
  CHECK(fixture.ended == 101);
  sockets.send();
  fixture.run();
  CHECK(order == "other next");
  CHECK(fixture.ended == 103);
  fixture.calls.sweep(Waiter::Clock::now());
  fixture.start([&] { order += " again"; });
  fixture.run();
  CHECK(order == "other next again");
}

TEST_CASE("a call that sleeps for a time lets others run") {
  Fixture fixture;
  std::string order;
  fixture.start([&] {
    Waiter::current().sleep_for(1ms);
    order += "late";
  });
  fixture.start([&] { order += "early "; });
  fixture.run();
  CHECK(order == "early late");
}

TEST_CASE("a call runs on the stack of one that has ended") {
  Fixture fixture;
  std::set<const void*> stacks;
  for (int i = 0; i < 100; ++i) {
    fixture.start([&] {
      // Not the address of a local: AddressSanitizer keeps those elsewhere.
      stacks.insert(__builtin_frame_address(0));
      Waiter::current().run_blocking([] {});
    });
    fixture.context.restart();
    fixture.context.run_for(1ms);
  }
  fixture.context.restart();
  fixture.run();
  CHECK(fixture.ended == 100);
  CHECK(stacks.size() <= 10);
}

TEST_CASE("what a call throws comes out of run()") {
  Fixture fixture;
  fixture.start([] { throw std::runtime_error("at once"); });
  fixture.run();
  CHECK(fixture.ended == 1);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(fixture.failure), "at once", std::runtime_error);
  fixture.start([] {
    Waiter::current().run_blocking([] {});
    throw std::runtime_error("later");
  });
  fixture.run();
  CHECK(fixture.ended == 2);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(fixture.failure), "later", std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
