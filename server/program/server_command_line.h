// The command line of the server: its flags, and the words help, version, azurite and azurite-table.
#pragma once

#include "server/program/options/server_flags.h"

namespace rocktable {

// Reads the command line, the variables ROCKTABLE_... and --config, in this order of precedence. If the
// program is called azurite or azurite-table, that is the default of --compat. Either word on the command
// line has the effect of --compat at its end.
Invocation parse_command_line(int argc, const char* const* argv);

}  // namespace rocktable
