#include "server/http/connection_waits.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "server/http/await.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kLongWatchInterval{500};  // of a client that waits for long

}  // namespace

asio::awaitable<bool> ConnectionWaits::for_share(MemoryBudget::Share& share, std::size_t bytes) {
  memory_timer_ = std::make_shared<asio::steady_timer>(stream_.get_executor(), asio::steady_timer::time_point::max());
  MemoryBudget::Waiter waiter(
      share, bytes, [timer = memory_timer_] { asio::post(timer->get_executor(), [timer] { timer->cancel(); }); });
  bool granted = waiter.take();
  const auto is_given_up = [this] {
    return machine_.has_hung_up() || (machine_.is_finishing() && machine_.state() == ConnectionState::Waiting);
  };
  while (!granted && !is_given_up()) {
    co_await memory_timer_->async_wait(kAwait);
    granted = waiter.take();
  }
  memory_timer_.reset();
  co_return granted;
}

asio::awaitable<bool> ConnectionWaits::for_time(std::chrono::microseconds time) {
  using MachineClock = ConnectionMachine::Clock;
  const auto begin = MachineClock::now();
  const auto end = begin + time;
  for (auto now = begin; now < end && !machine_.must_end(); now = MachineClock::now()) {
    const MachineClock::duration interval = now - begin < kLongWatchInterval ? kWatchInterval : kLongWatchInterval;
    pause_timer_.emplace(stream_.get_executor(), std::min(end - now, interval));
    co_await pause_timer_->async_wait(kAwait);
    if (stream_.has_hung_up()) machine_.hang_up();
  }
  pause_timer_.reset();
  co_return !machine_.has_hung_up();
}

void ConnectionWaits::cancel_memory() {
  if (memory_timer_) memory_timer_->cancel();
}

void ConnectionWaits::cancel_time() {
  if (pause_timer_) pause_timer_->cancel();
}

}  // namespace rocktable
