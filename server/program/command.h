// Describes a command of the program: rocktable NAME ...
#pragma once

namespace rocktable {

struct Command {
  const char* name;
  const char* arguments;  // as --help shows them
  const char* summary;
  // Runs the command. `argv` starts with the name of the command, or with kHelpWord
  // (client/command_line/command_line.h). Returns the exit code: 0 done, 1 failed, 2 wrong usage. Throws
  // std::exception on failure; main() prints it.
  int (*run)(int argc, const char* const* argv);
};

}  // namespace rocktable
