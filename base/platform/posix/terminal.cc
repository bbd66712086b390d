#include "base/platform/terminal.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace rocktable {
namespace {

static_assert(kMaxReadyBytes <= PIPE_BUF);  // a pipe that poll() reports as writable accepts this much without blocking

int descriptor_of(StandardStream stream) {
  constexpr int kDescriptors[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  return kDescriptors[static_cast<int>(stream)];
}

}  // namespace

bool is_terminal(StandardStream stream) { return isatty(descriptor_of(stream)) == 1; }

int columns_of(StandardStream stream) {
  constexpr int kUsual = 80;
  winsize size{};
  return ioctl(descriptor_of(stream), TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? kUsual : size.ws_col;
}

void write_if_ready(StandardStream stream, std::string_view text) {
  pollfd console{descriptor_of(stream), POLLOUT, 0};
  if (poll(&console, 1, 0) != 1 || (console.revents & POLLOUT) == 0) return;
  [[maybe_unused]] const auto written = ::write(console.fd, text.data(), std::min(text.size(), kMaxReadyBytes));
}

}  // namespace rocktable
