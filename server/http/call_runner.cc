#include "server/http/call_runner.h"

#include <boost/asio/co_spawn.hpp>
#include <exception>
#include <utility>

#include "server/http/await.h"
#include "server/limits/page_budget.h"
#include "storage/waiter.h"

namespace rocktable {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kAtOnce{50};  // a call that begins within this did not have to wait

using Clock = std::chrono::steady_clock;

// When a call that runs on other threads was accepted, and given to them; and how long it may have waited then.
struct Times {
  Clock::time_point accepted, given;
  Clock::duration longest_wait;
};

// Runs the call on an executor. Returns nullopt if a query waited for its thread, and its client hung up meanwhile.
// (A client that only shuts down its sending side looks the same. It gets a response if the query did not have to
// wait.)
asio::awaitable<std::optional<Response>> run_there(Call& call, const std::atomic<bool>& hung_up,
                                                   MemoryBudget::Share& memory, Times times) {
  const auto now = Clock::now();
  if (now - times.given > kAtOnce && hung_up && call.only_reads()) co_return std::nullopt;
  if (now - times.accepted >= times.longest_wait) co_return call.busy();
  const Waiter::CallOfThread it(times.accepted);
  co_return call.run(hung_up, memory);
}

}  // namespace

// Watches the client while a call runs on another thread.
struct CallRunner::Watch {
  explicit Watch(const Stream::executor_type& executor)
      : pause(executor), end(executor, asio::steady_timer::time_point::max()) {}

  asio::steady_timer pause, end;
  bool over = false;   // the call has ended, and the watch may end
  bool ended = false;  // cancels `end`
};

bool CallRunner::accept_at_once(const Request& request, CallHolder& call) const {
  if (store_calls_ != nullptr && service_.accept_waits(request)) return false;
  service_.accept(request, call);
  return true;
}

asio::awaitable<bool> CallRunner::accept(const Request& request, CallHolder& call) const {
  co_return co_await store_calls_->run(machine_.since(), [&] { service_.accept(request, call); });
}

std::optional<Response> CallRunner::run_at_once(Call& call, std::chrono::microseconds delay) const {
  if (delay > delay.zero() || call.executor() != Executor::Connection) return std::nullopt;
  return call.run(machine_.has_hung_up(), memory_.response);
}

asio::awaitable<std::optional<Response>> CallRunner::run(Call& call, std::chrono::microseconds delay) {
  delay_ = delay_.zero();
  if (delay > delay.zero()) {
    if (!memory_.hold_apart()) {
      Response busy = call.busy();
      busy.explanation = "The memory for delayed requests is used up.";
      co_return busy;
    }
    const auto begin = Clock::now();
    const bool is_there = co_await waits_.for_time(delay);
    delay_ = Clock::now() - begin;
    if (!is_there) {
      call.give_up();
      co_return std::nullopt;
    }
  }
  co_return co_await run_now(call);
}

// Returns nullopt as run_watched().
asio::awaitable<std::optional<Response>> CallRunner::run_now(Call& call) {
  std::optional<Response> response;
  switch (call.executor()) {
    case Executor::Connection:
      response = call.run(machine_.has_hung_up(), memory_.response);
      break;
    case Executor::Database:
      response = co_await run_as_store_call(call);
      break;
    default:
      response = co_await run_watched(call);
  }
  co_return response;
}

// Returns nullopt as run_watched(). A write that had to wait does not begin either if its client has gone: while the
// database is silent, clients give up and come again, and what they gave up would come first. A client that only shut
// down its sending side is told to come again.
asio::awaitable<std::optional<Response>> CallRunner::run_as_store_call(Call& call) {
  std::optional<Response> response;
  const bool had_turn = co_await store_calls_->run(since(), [&] {
    const bool waited = Clock::now() - since() > kAtOnce;  // also to be accepted
    if (!waited || !stream_.has_hung_up()) {
      response = call.run(machine_.has_hung_up(), memory_.response);
    } else if (!call.only_reads()) {
      response = call.busy();
    }
  });
  if (!had_turn) response = call.busy();
  co_return response;
}

// Runs the call on the threads of its executor. Returns nullopt if the client hung up before a query began.
asio::awaitable<std::optional<Response>> CallRunner::run_watched(Call& call) {
  Watch its_client(stream_.get_executor());
  asio::co_spawn(stream_.get_executor(), watch(its_client), [&its_client](const std::exception_ptr&) {
    its_client.ended = true;
    its_client.end.cancel();
  });
  std::optional<Response> response;
  std::exception_ptr failure;
  try {
    response = co_await run_on_executor(call);
  } catch (...) {
    failure = std::current_exception();
  }
  its_client.over = true;
  its_client.pause.cancel();
  stream_.cancel();
  while (!its_client.ended) co_await its_client.end.async_wait(kAwait);
  if (failure) std::rethrow_exception(failure);
  co_return response;
}

// A query over many partitions begins once there is memory for the first bytes of its page. A query within a partition
// does not wait for memory: if memory is short, its page ends early.
asio::awaitable<std::optional<Response>> CallRunner::run_on_executor(Call& call) {
  std::optional<Response> response;
  bool has_room = true;
  if (call.executor() == Executor::Table)
    has_room = co_await waits_.for_share(memory_.response, PageBudget::kFirstBytes);
  // Control calls may wait for each other, and count their time from their beginning.
  const bool is_limited = store_calls_ != nullptr && call.executor() != Executor::Control;
  const auto now = Clock::now();
  const Times times{is_limited ? since() : now, now,
                    is_limited ? store_calls_->longest_wait() : Clock::duration::max()};
  if (has_room)
    response =
        co_await asio::co_spawn(executors_.of(call.executor()),
                                run_there(call, machine_.has_hung_up(), memory_.response, times), asio::use_awaitable);
  co_return response;
}

// Notices that the client hangs up while a call runs. Pipelined requests and TLS's close_notify are bytes before the
// end of the stream. They stay unread, so the end behind them must be polled for.
asio::awaitable<void> CallRunner::watch(Watch& watch) {
  if (!watch.over) co_await stream_.socket().async_wait(Stream::Socket::wait_read, kAwait);
  while (!watch.over && !machine_.has_hung_up()) {
    if (stream_.has_hung_up()) {
      machine_.hang_up();
      waits_.cancel_memory();
      co_return;
    }
    watch.pause.expires_after(kWatchInterval);
    co_await watch.pause.async_wait(kAwait);
  }
}

}  // namespace rocktable
