#include "client/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>
#include <string_view>

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

bool output_has_colours() {
  const char* const terminal = std::getenv("TERM");
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
}

int terminal_columns() { return columns_of(STDERR_FILENO); }

int output_columns() { return columns_of(STDOUT_FILENO); }

}  // namespace rocktable
