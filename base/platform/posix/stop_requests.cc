#include "base/platform/stop_requests.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>  // sigaction
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <system_error>

namespace rocktable {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};

// Used by the handler, which must not lock or allocate.
std::atomic<std::int64_t> first_at = 0;  // of the monotonic clock, in nanoseconds; 0: none has come
std::atomic<int> notified = -1;
std::array<struct sigaction, kSignals.size()> before;  // NOLINT: does not change while a handler is set

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec)).count();
}

void take(int number) {
  const int error = errno;
  const std::int64_t at = now();
  std::int64_t first = 0;
  if (first_at.compare_exchange_strong(first, at)) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(notified, &one, sizeof one);
  } else if (at - first > std::chrono::nanoseconds(kSameRequest).count()) {
    signal(number, SIG_DFL);
    raise(number);  // takes effect after this returns, because the signal is blocked until then
  }
  errno = error;
}

}  // namespace

StopRequests::StopRequests() : event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (event_ < 0) throw std::system_error(errno, std::generic_category(), "cannot wait for signals");
  first_at = 0;
  notified = static_cast<int>(event_);
  struct sigaction action{};
  action.sa_handler = take;
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &before[i]);
}

// A repetition may come after all work is done. It must not change how the process ends.
StopRequests::~StopRequests() {
  if (first_at == 0)
    for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
  notified = -1;
  close(static_cast<int>(event_));
}

bool StopRequests::is_asked() const {
  pollfd request{static_cast<int>(event_), POLLIN, 0};
  return poll(&request, 1, 0) > 0;
}

std::intptr_t StopRequests::event() const { return fcntl(static_cast<int>(event_), F_DUPFD_CLOEXEC, 0); }

}  // namespace rocktable
