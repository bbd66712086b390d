#include "client/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace rocktable {
namespace {

int columns_of(int descriptor) {
  constexpr int kUsual = 80;
  winsize size{};
  return ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 ? kUsual : size.ws_col;
}

}  // namespace

bool is_interactive() { return isatty(STDIN_FILENO) == 1 && is_terminal(); }

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

int terminal_columns() { return columns_of(STDERR_FILENO); }

int output_columns() { return columns_of(STDOUT_FILENO); }

}  // namespace rocktable
