// What loses data is asked for at a terminal.
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace rocktable {

struct Confirmation {
  bool yes = false;  // --yes: nobody is asked

  // --yes, also from ROCKTABLE_YES, which `rocktable exec` sets: the instance there is the command's own.
  void add_flag(CLI::App& app);

  // Asks where somebody can answer, else goes on: a script that calls a command has said what it wants, and nobody is there
  // to be surprised. Throws std::runtime_error where the answer is not yes.
  void ask(const std::string& question) const;
};

}  // namespace rocktable
