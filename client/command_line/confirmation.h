// Asks for confirmation at a terminal before data is deleted.
#pragma once

#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace rocktable {

class Confirmation {
 public:
  // Adds --yes: do not ask. Parsing writes to this object, which must stay where it is.
  void add_flag(CLI::App& app);

  // Reads ROCKTABLE_YES if --yes is not on the command line. `rocktable exec` sets the variable, because its
  // instance belongs to the command. Throws UsageError.
  void read_variable();

  // Asks at a terminal; otherwise returns at once, because a script cannot answer. Throws std::runtime_error
  // if the answer is not yes.
  void require(const std::string& question) const;

 private:
  CLI::Option* flag_ = nullptr;
  bool yes_ = false;
};

}  // namespace rocktable
