#include "client/terminal/terminal.h"

#include <cstdlib>
#include <string_view>

#include "base/platform/terminal.h"

namespace rocktable {
bool is_interactive() { return is_terminal(StandardStream::Input) && is_terminal(); }

bool is_terminal() { return is_terminal(StandardStream::Error); }

bool output_has_colours() {
  const char* const terminal = std::getenv("TERM");
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return is_terminal(StandardStream::Output) && !is_dumb && (no_colour == nullptr || *no_colour == '\0');
}

int terminal_columns() { return columns_of(StandardStream::Error); }

int output_columns() { return columns_of(StandardStream::Output); }

}  // namespace rocktable
