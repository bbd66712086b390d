#include "server/executors/fiber_executor.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cassert>
#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

#include "base/threads/mutex.h"
#include "server/executors/fiber.h"

namespace rocktable {

namespace asio = boost::asio;

namespace {

// Each has a stack. More calls wait for their turn.
constexpr std::size_t kMaxSleeping = 1000;

}  // namespace

struct FiberExecutor::Task {
  Clock::time_point since;
  std::function<void()> work;
  std::exception_ptr failure = nullptr;
  std::function<void()> on_end = nullptr;
  bool has_begun = false;
  bool is_over = false;
};

// For one task at a time. Its fiber runs one task after the other, so that its stack is used again.
struct FiberExecutor::Place {
  Task* task = nullptr;    // null when its fiber is resumed: it shall end
  Sleep* sleep = nullptr;  // null: it does not sleep
  bool is_woken = false;   // before it slept
  Fiber fiber{[this] {
    while (task != nullptr) {
      try {
        task->work();
      } catch (const std::exception&) {
        task->failure = std::current_exception();
      }
      task->is_over = true;
      Fiber::current()->suspend();
    }
  }};
};

// Of a task for a socket.
struct FiberExecutor::Wait {
  Place& place;
  int socket;
  Clock::time_point deadline;
  bool is_ready = false;
};

struct FiberExecutor::Sleep {
  Place& place;
  Clock::time_point deadline;
  bool is_woken = false;
};

FiberExecutor::FiberExecutor(asio::io_context& context, asio::thread_pool& blocking, std::size_t limit,
                             Clock::duration longest_wait)
    : context_(context), blocking_(blocking), limit_(limit), longest_wait_(longest_wait), epoll_(context) {
  const int descriptor = epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  epoll_.assign(descriptor);
  await_events();
}

FiberExecutor::~FiberExecutor() {
  for (Place* const place : idle_) place->fiber.resume();  // to its end
}

asio::awaitable<bool> FiberExecutor::run(Clock::time_point since, std::function<void()> work) {
  Task task{since, std::move(work)};
  queue_.push_back(&task);
  start_next();
  if (!task.is_over) {
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        [&task](auto handler) {
          task.on_end = [kept = std::make_shared<decltype(handler)>(std::move(handler))] { std::move (*kept)(); };
        },
        asio::use_awaitable);
  }
  if (task.failure) std::rethrow_exception(task.failure);
  co_return task.has_begun;
}

void FiberExecutor::start_next() {
  if (queue_.empty()) return;
  end_late(Clock::now());  // between two sweeps
  if (queue_.empty() || at_work_ >= limit_) return;
  if (idle_.empty()) {
    if (places_.size() >= limit_ + kMaxSleeping) return;
    places_.push_back(std::make_unique<Place>());
    idle_.push_back(places_.back().get());
  }
  Place* const place = idle_.back();
  idle_.pop_back();
  place->task = queue_.front();
  queue_.pop_front();
  place->task->has_begun = true;
  ++at_work_;
  resume(*place);
}

// The task may be destroyed when this returns.
void FiberExecutor::resume(Place& place) {
  current_ = &place;
  running() = this;
  place.fiber.resume();
  running() = nullptr;
  current_ = nullptr;
  if (!place.task->is_over) return;
  Task* const task = std::exchange(place.task, nullptr);
  idle_.push_back(&place);
  --at_work_;
  if (!queue_.empty()) asio::post(context_, [this] { start_next(); });
  if (task->on_end) std::exchange(task->on_end, nullptr)();
}

// --- Waiting -------------------------------------------------------------------------------------------------

void FiberExecutor::suspend() {
#ifndef NDEBUG
  assert(Mutex::held() == 0);
#endif
  current_->fiber.suspend();
}

bool FiberExecutor::await_socket(int socket, short events, Clock::time_point deadline) {
  Wait wait{*current_, socket, deadline};
  epoll_event wanted{};  // the bits of poll(2) are those of epoll
  wanted.events = static_cast<std::uint32_t>(events) | EPOLLONESHOT;
  wanted.data.ptr = &wait;
  waits_.push_back(&wait);
  const int epoll = epoll_.native_handle();
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &wanted) != 0 &&
      (errno != ENOENT || epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &wanted) != 0)) {
    const int error = errno;
    waits_.pop_back();
    throw std::system_error(error, std::generic_category(), "epoll_ctl");
  }
  suspend();
  return wait.is_ready;
}

void FiberExecutor::end(Wait& wait, bool is_ready) {
  wait.is_ready = is_ready;
  std::erase(waits_, &wait);  // there are few
  resume(wait.place);
}

void FiberExecutor::await_events() {
  epoll_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    wake_ready();
    await_events();
  });
}

void FiberExecutor::wake_ready() {
  std::array<epoll_event, 64> ready;
  const int count = epoll_wait(epoll_.native_handle(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) end(*static_cast<Wait*>(ready[static_cast<std::size_t>(i)].data.ptr), true);
}

void FiberExecutor::sweep(Clock::time_point now) {
  std::vector<Wait*> late;
  std::ranges::copy_if(waits_, std::back_inserter(late), [&](Wait* wait) { return wait->deadline <= now; });
  for (Wait* const wait : late) {
    epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, wait->socket, nullptr);
    end(*wait, false);
  }
  std::vector<Sleep*> oversleepers;
  std::ranges::copy_if(sleeps_, std::back_inserter(oversleepers), [&](Sleep* one) { return one->deadline <= now; });
  for (Sleep* const one : oversleepers) end(*one, false);
  end_late(now);
  if (queue_.empty()) release_places();
}

// Those beyond the limit: they were for calls that slept.
void FiberExecutor::release_places() {
  while (places_.size() > limit_ && !idle_.empty()) {
    Place* const place = idle_.back();
    idle_.pop_back();
    place->fiber.resume();  // to its end
    std::erase_if(places_, [place](const auto& one) { return one.get() == place; });
  }
}

// They came in about the order in which their calls were accepted.
void FiberExecutor::end_late(Clock::time_point now) {
  while (!queue_.empty() && queue_.front()->since + longest_wait_ <= now) {
    Task& task = *queue_.front();
    queue_.pop_front();
    task.is_over = true;
    if (task.on_end) std::exchange(task.on_end, nullptr)();
  }
}

FiberExecutor::Clock::time_point FiberExecutor::since() const { return current_->task->since; }

void FiberExecutor::sleep_for(Clock::duration time) {
  asio::steady_timer timer(context_, time);
  timer.async_wait([this, &place = *current_](const boost::system::error_code&) { resume(place); });
  suspend();
}

std::function<void()> FiberExecutor::waker() {
  return [this, &place = *current_] { asio::post(context_, [this, &place] { wake(place); }); };
}

void FiberExecutor::wake(Place& place) {
  if (place.sleep != nullptr) {
    end(*place.sleep, true);
  } else {
    place.is_woken = true;
  }
}

bool FiberExecutor::sleep(Clock::time_point deadline) {
  Place& place = *current_;
  if (std::exchange(place.is_woken, false)) return true;
  Sleep sleep{place, deadline};
  place.sleep = &sleep;
  sleeps_.push_back(&sleep);
  --at_work_;
  if (!queue_.empty()) asio::post(context_, [this] { start_next(); });
  suspend();
  ++at_work_;
  return sleep.is_woken;
}

void FiberExecutor::end(Sleep& sleep, bool is_woken) {
  sleep.is_woken = is_woken;
  sleep.place.sleep = nullptr;
  std::erase(sleeps_, &sleep);
  resume(sleep.place);
}

void FiberExecutor::run_blocking(const std::function<void()>& work) {
  std::exception_ptr failure;
  asio::post(blocking_, [this, &work, &failure, &place = *current_] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    asio::post(context_, [this, &place] { resume(place); });
  });
  suspend();
  if (failure) std::rethrow_exception(failure);
}

std::unique_ptr<StoreCalls> make_store_calls(asio::io_context& context, asio::thread_pool& blocking, std::size_t limit,
                                             StoreCalls::Clock::duration longest_wait) {
  return std::make_unique<FiberExecutor>(context, blocking, limit, longest_wait);
}

}  // namespace rocktable
