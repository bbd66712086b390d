#include "server/http/store_calls.h"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>

namespace rocktable {

namespace asio = boost::asio;

struct StoreCalls::Call {
  std::function<void()> work;
  std::optional<Fiber> fiber = std::nullopt;  // has a stack once it begins
  std::exception_ptr failure = nullptr;
  std::function<void()> on_end = nullptr;
  bool is_over = false;
};

// Of a call for a socket.
struct StoreCalls::Wait {
  Call& call;
  int socket;
  Clock::time_point deadline;
  bool is_ready = false;
};

StoreCalls::StoreCalls(asio::io_context& context, asio::thread_pool& blocking, std::size_t most)
    : context_(context), blocking_(blocking), most_(most), epoll_(context) {
  const int descriptor = epoll_create1(EPOLL_CLOEXEC);
  if (descriptor < 0) throw std::system_error(errno, std::generic_category(), "epoll_create1");
  epoll_.assign(descriptor);
  await_events();
}

StoreCalls::~StoreCalls() = default;

asio::awaitable<void> StoreCalls::run(std::function<void()> work) {
  Call call{std::move(work)};
  queue_.push_back(&call);
  start_next();
  if (!call.is_over) {
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
        [&call](auto handler) {
          call.on_end = [kept = std::make_shared<decltype(handler)>(std::move(handler))] {
            std::move (*kept)();
          };
        },
        asio::use_awaitable);
  }
  if (call.failure) std::rethrow_exception(call.failure);
}

void StoreCalls::start_next() {
  if (queue_.empty() || running_ == most_) return;
  Call* const call = queue_.front();
  queue_.pop_front();
  ++running_;
  resume(*call);
}

// The call may be destroyed when this returns.
void StoreCalls::resume(Call& call) {
  current_ = &call;
  running() = this;
  try {
    if (!call.fiber) call.fiber.emplace(std::move(call.work));
    call.fiber->resume();
  } catch (...) {
    call.failure = std::current_exception();
  }
  running() = nullptr;
  current_ = nullptr;
  if (call.fiber && !call.fiber->is_over()) return;
  call.is_over = true;
  --running_;
  if (!queue_.empty()) asio::post(context_, [this] { start_next(); });
  if (call.on_end) std::exchange(call.on_end, nullptr)();
}

// --- Waiting -------------------------------------------------------------------------------------------------

bool StoreCalls::await_socket(int socket, short events, Clock::time_point deadline) {
  Wait wait{*current_, socket, deadline};
  epoll_event wanted{};  // the bits of poll(2) are those of epoll
  wanted.events = static_cast<std::uint32_t>(events) | EPOLLONESHOT;
  wanted.data.ptr = &wait;
  const int epoll = epoll_.native_handle();
  if (epoll_ctl(epoll, EPOLL_CTL_MOD, socket, &wanted) != 0 &&
      (errno != ENOENT || epoll_ctl(epoll, EPOLL_CTL_ADD, socket, &wanted) != 0))
    throw std::system_error(errno, std::generic_category(), "epoll_ctl");
  waits_.push_back(&wait);
  wait.call.fiber->suspend();
  return wait.is_ready;
}

void StoreCalls::end(Wait& wait, bool is_ready) {
  wait.is_ready = is_ready;
  std::erase(waits_, &wait);  // there are few
  resume(wait.call);
}

void StoreCalls::await_events() {
  epoll_.async_wait(asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& error) {
    if (error) return;
    wake_ready();
    await_events();
  });
}

void StoreCalls::wake_ready() {
  std::array<epoll_event, 64> ready;
  const int count = epoll_wait(epoll_.native_handle(), ready.data(), static_cast<int>(ready.size()), 0);
  for (int i = 0; i < count; ++i) end(*static_cast<Wait*>(ready[static_cast<std::size_t>(i)].data.ptr), true);
}

void StoreCalls::sweep(Clock::time_point now) {
  std::vector<Wait*> late;
  std::ranges::copy_if(waits_, std::back_inserter(late), [&](Wait* wait) { return wait->deadline <= now; });
  for (Wait* const wait : late) {
    epoll_ctl(epoll_.native_handle(), EPOLL_CTL_DEL, wait->socket, nullptr);
    end(*wait, false);
  }
}

// The call is resumed by the event loop, so not before it sleeps.
std::function<void()> StoreCalls::waker() {
  return [this, &call = *current_] { asio::post(context_, [this, &call] { resume(call); }); };
}

void StoreCalls::sleep() { current_->fiber->suspend(); }

void StoreCalls::run_blocking(const std::function<void()>& work) {
  std::exception_ptr failure;
  asio::post(blocking_, [&work, &failure, wake = waker()] {
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    wake();
  });
  sleep();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace rocktable
