#include "client/command_line/confirmation.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "base/printable.h"
#include "base/text.h"
#include "client/command_line/command_line.h"
#include "client/terminal/terminal.h"
#include "client/usage_error.h"

namespace rocktable {
namespace {

constexpr const char* kVariable = "ROCKTABLE_YES";

}  // namespace

void Confirmation::add_flag(CLI::App& app) {
  flag_ = app.add_flag("--yes", yes_, "Skip the confirmation at a terminal");
  flag_->option_text(std::string("(Env:") + kVariable + ")");
}

void Confirmation::read_variable() {
  const char* const value = std::getenv(kVariable);
  if (value == nullptr || *value == '\0' || flag_->count() > 0) return;
  const auto yes = parse_flag(value);
  if (!yes) throw UsageError(no_flag_value("--yes", value) + " (" + kVariable + ")");
  yes_ = *yes;
}

void Confirmation::require(const std::string& question) const {
  if (yes_ || !is_interactive()) return;
  std::cerr << printable(question) << " [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (!std::cin) std::cerr << '\n';  // at the end of input the cursor is still in the line
  const auto word = trim(answer);
  if (equals_ignoring_case(word, "y") || equals_ignoring_case(word, "yes")) return;
  throw std::runtime_error("not confirmed; nothing was changed");
}

}  // namespace rocktable
