// The command line of the server: its flags, and words between them.
#pragma once

#include "server/program/server_flags.h"

namespace rocktable {

// Of the command line, the variables ROCKTABLE_... and --config, in this order. A program called azurite or azurite-table is
// compatible with what it is called, unless --compat says otherwise; either word on the command line counts as --compat,
// given last.
Invocation parse_command_line(int argc, const char* const* argv);

}  // namespace rocktable
