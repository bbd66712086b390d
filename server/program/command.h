// A command of the program: rocktable NAME ...
#pragma once

namespace rocktable {

struct Command {
  const char* name;
  const char* arguments;  // as --help shows them
  const char* summary;
  // `argv` begins with the command's name, or with kHelpWord (client/commands/command_line.h). Returns the exit code: 0 done,
  // 1 failed, 2 wrong usage. What it throws (std::exception) is a failure, and told.
  int (*run)(int argc, const char* const* argv);
};

}  // namespace rocktable
