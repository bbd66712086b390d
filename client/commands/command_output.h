// What a command tells of its work on standard output: sentences for people, or, with --json, one document for programs
// (docs/json.md has their shapes).
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

  // A line for people; nothing with --json.
  void say(const std::string& line) const;
  // The document, with --json alone.
  void give(const nlohmann::json& document) const;

 private:
  bool json_ = false;
};

// Reads the command line and does the work, which returns the exit code. With --json what goes wrong, the command line
// included, is {"error": sentence} on standard output; else wrong usage is told, and all that `work` throws besides
// goes through.
int run_command(CLI::App& app, int argc, const char* const* argv, CommandOutput& output,
                const std::function<int()>& work);

}  // namespace rocktable
