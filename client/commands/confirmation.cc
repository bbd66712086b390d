#include "client/commands/confirmation.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <stdexcept>

#include "client/terminal/terminal.h"
#include "odata/printable.h"
#include "odata/text.h"

namespace rocktable {

void Confirmation::add_flag(CLI::App& app) {
  app.add_flag("--yes", yes, "Do not ask (a question comes at a terminal alone)")->envname("ROCKTABLE_YES");
}

void Confirmation::ask(const std::string& question) const {
  if (yes || !can_be_asked()) return;
  std::cerr << printable(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (!std::cin) std::cerr << '\n';  // the end of input leaves the line open
  const auto word = trim(answer);
  if (equals_ignoring_case(word, "y") || equals_ignoring_case(word, "yes")) return;
  throw std::runtime_error("nothing was changed");
}

}  // namespace rocktable
