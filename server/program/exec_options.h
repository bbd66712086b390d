// The command line of `rocktable exec`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/commands/command_line.h"
#include "server/program/server_flags.h"

namespace rocktable {

struct ExecOptions {
  Options server;
  std::vector<std::string> exports;  // variables that get the connection string, too
  const char* const* command = nullptr;
  bool dev_storage = false;   // as UseDevelopmentStorage=true has it
  bool keeps_nothing = true;  // what the server writes is gone with it
  std::string folder;         // for as long as the server runs; empty: none is needed
};

// What stands before `--` is ours, the rest is the command's. Nothing where there is no work: then `ending` is set.
ExecOptions read_exec_command_line(int argc, const char* const* argv, std::optional<Ending>& ending);

}  // namespace rocktable
