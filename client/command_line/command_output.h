// The output of a command on standard output: sentences for users or, with --json, one JSON document
// (docs/json.md describes it).
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace rocktable {

class CommandOutput {
 public:
  // Adds --json to a command, or to each of its subcommands.
  void add_flag(CLI::App& app);

  bool is_json() const { return json_; }

  // Prints a line for users; nothing with --json.
  void print_line(const std::string& line) const;
  // Prints the document; only with --json.
  void print_document(const nlohmann::json& document) const;

 private:
  bool json_ = false;
};

// Parses the command line and calls `work`, which returns the exit code. With --json, errors are printed as
// {"error": sentence} on standard output, including errors of the command line. Without it, wrong usage is
// printed, and other exceptions of `work` propagate.
int run_command(CLI::App& app, int argc, const char* const* argv, CommandOutput& output,
                const std::function<int()>& work);

}  // namespace rocktable
