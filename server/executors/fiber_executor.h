// Runs calls that wait for the database, each in a fiber, on the thread of their connections: while one waits, others
// run.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "server/executors/store_calls.h"
#include "storage/waiter.h"

namespace rocktable {

// Belongs to one thread, which runs its io_context.
class FiberExecutor final : public StoreCalls, public Waiter {
 public:
  using Clock = Waiter::Clock;

  // As make_store_calls().
  FiberExecutor(boost::asio::io_context& context, boost::asio::thread_pool& blocking, std::size_t limit,
                Clock::duration longest_wait);
  ~FiberExecutor() override;
  FiberExecutor(const FiberExecutor&) = delete;
  FiberExecutor& operator=(const FiberExecutor&) = delete;

  // Runs the work in a fiber.
  boost::asio::awaitable<bool> run(Clock::time_point since, std::function<void()> work) override;
  void sweep(Clock::time_point now) override;
  Clock::duration longest_wait() const override { return longest_wait_; }

  Clock::time_point since() const override;
  bool await_socket(int socket, short events, Clock::time_point deadline) override;
  void sleep_for(Clock::duration time) override;
  std::function<void()> waker() override;
  bool sleep(Clock::time_point deadline) override;
  void run_blocking(const std::function<void()>& work) override;

 private:
  struct Task;
  struct Place;
  struct Wait;
  struct Sleep;

  void start_next();
  void end_late(Clock::time_point now);
  void release_places();
  void resume(Place& place);
  void suspend();
  void await_events();
  void wake_ready();
  void end(Wait& wait, bool is_ready);
  void wake(Place& place);
  void end(Sleep& sleep, bool is_woken);

  boost::asio::io_context& context_;
  boost::asio::thread_pool& blocking_;
  const std::size_t limit_;
  const Clock::duration longest_wait_;
  // All sockets that calls wait for are in one epoll object, and Asio waits for that. A closed socket leaves it by
  // itself.
  boost::asio::posix::stream_descriptor epoll_;
  std::vector<std::unique_ptr<Place>> places_;  // made when they are needed
  std::size_t at_work_ = 0;
  std::vector<Place*> idle_;
  std::deque<Task*> queue_;
  std::vector<Wait*> waits_;
  std::vector<Sleep*> sleeps_;
  Place* current_ = nullptr;
};

}  // namespace rocktable
