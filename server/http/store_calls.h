// Runs calls that wait for the database, each in a fiber, on the thread of their connections: while one waits, others run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <vector>

#include "server/http/fiber.h"
#include "storage/call_waiter.h"

namespace rocktable {

// Belongs to one thread, which runs its io_context.
class StoreCalls final : public CallWaiter {
 public:
  // `most`: calls at the same time; others wait in the order in which they came. `blocking`: threads for work that blocks.
  StoreCalls(boost::asio::io_context& context, boost::asio::thread_pool& blocking, std::size_t most);
  ~StoreCalls() override;
  StoreCalls(const StoreCalls&) = delete;
  StoreCalls& operator=(const StoreCalls&) = delete;

  // Runs the work in a fiber, to its end. Throws what it throws.
  boost::asio::awaitable<void> run(std::function<void()> work);

  // Ends the waits whose deadline is over. Called about once a second.
  void sweep(Clock::time_point now);

  bool await_socket(int socket, short events, Clock::time_point deadline) override;
  std::function<void()> waker() override;
  void sleep() override;
  void run_blocking(const std::function<void()>& work) override;

 private:
  struct Call;
  struct Wait;

  void resume(Call& call);
  void start_next();
  void await_events();
  void wake_ready();
  void end(Wait& wait, bool is_ready);

  boost::asio::io_context& context_;
  boost::asio::thread_pool& blocking_;
  const std::size_t most_;
  // All sockets that calls wait for are in one epoll object, and Asio waits for that. A closed socket leaves it by itself.
  boost::asio::posix::stream_descriptor epoll_;
  std::size_t running_ = 0;
  std::deque<Call*> queue_;
  std::vector<Wait*> waits_;
  Call* current_ = nullptr;
};

}  // namespace rocktable
