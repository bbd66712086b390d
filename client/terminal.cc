#include "client/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace rocktable {

bool can_be_asked() { return isatty(STDIN_FILENO) == 1 && is_terminal(); }

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

int terminal_columns() {
  constexpr int kUsual = 80;
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return size.ws_col;
}

}  // namespace rocktable
