// The command line of `rocktable exec`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/command_line/command_line.h"
#include "server/program/exec/exec_report.h"
#include "server/program/options/server_flags.h"

namespace rocktable {

struct ExecOptions {
  Options server;
  std::vector<std::string> exports;  // further variables for the connection string
  const char* const* command = nullptr;
  bool dev_storage = false;          // endpoints of UseDevelopmentStorage=true
  bool keeps_nothing = true;         // no data remains after the server
  std::optional<ExecReport> report;  // nullopt: neither a budget nor a report is asked for
  std::string folder;                // temporary, while the server runs; empty: not needed
};

// Parses the options before `--`; the rest is the command. If there is nothing to run, sets `ending`.
ExecOptions read_exec_command_line(int argc, const char* const* argv, std::optional<CommandResult>& ending);

}  // namespace rocktable
