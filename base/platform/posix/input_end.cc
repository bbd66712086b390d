#include "base/platform/input_end.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

namespace rocktable {
namespace {

// Returns false if `stop` became readable first.
bool await_end(int stop) {
  for (;;) {
    pollfd waiting[] = {{STDIN_FILENO, POLLIN, 0}, {stop, POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) {
      if (errno == EINTR) continue;
      return true;
    }
    if (waiting[1].revents != 0) return false;
    char ignored[4096];
    const ssize_t count = read(STDIN_FILENO, ignored, sizeof ignored);
    const bool again = count < 0 && (errno == EINTR || errno == EAGAIN);
    if (count <= 0 && !again) return true;
  }
}

}  // namespace

InputEnd::InputEnd(std::function<void()> on_end) : stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "cannot wait for standard input");
  thread_ = std::thread([on_end = std::move(on_end), stop = static_cast<int>(stop_)] {
    if (await_end(stop)) on_end();
  });
}

InputEnd::~InputEnd() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = write(static_cast<int>(stop_), &one, sizeof one);
  thread_.join();
  close(static_cast<int>(stop_));
}

}  // namespace rocktable
