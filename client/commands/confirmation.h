// What loses data is asked for at a terminal.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rocktable {

class Confirmation {
 public:
  // --yes: nobody is asked. Writes to this while the app parses.
  void add_flag(CLI::App& app);

  // The same from ROCKTABLE_YES, where the command line does not say it; `rocktable exec` sets it, for the instance there is
  // the command's own. Throws WrongUsage.
  void take_variable();

  // Asks where somebody can answer, else goes on: a script that calls a command has said what it wants, and nobody is there
  // to be surprised. Throws std::runtime_error where the answer is not yes.
  void ask(const std::string& question) const;

 private:
  CLI::Option* flag_ = nullptr;
  bool yes_ = false;
};

}  // namespace rocktable
