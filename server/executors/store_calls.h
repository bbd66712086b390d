// Where calls wait for a store on another machine without holding a thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace rocktable {

// Belongs to one thread, which runs its io_context.
class StoreCalls {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~StoreCalls() = default;

  // Runs the work of a call that was accepted at `since`, to its end; while it waits for the store, others run. Returns
  // false if the call has waited for too long, and the work did not begin. Throws what it throws.
  virtual boost::asio::awaitable<bool> run(Clock::time_point since, std::function<void()> work) = 0;

  // Ends the waits whose deadline is over, and of those who wait to begin. Called a few times a second.
  virtual void sweep(Clock::time_point now) = 0;

  virtual Clock::duration longest_wait() const = 0;
};

// `limit`: calls at work at the same time; those in Waiter::sleep() leave their turn to others. Others wait in the
// order in which they came, at most for `longest_wait`.
// `blocking`: threads for work that blocks.
std::unique_ptr<StoreCalls> make_store_calls(boost::asio::io_context& context, boost::asio::thread_pool& blocking,
                                             std::size_t limit, StoreCalls::Clock::duration longest_wait);

}  // namespace rocktable
