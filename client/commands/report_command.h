// `rocktable report`: shows what a rocktable recorded about the requests of its clients.
#pragma once

namespace rocktable {

// Returns the exit code. Throws as run_command().
int run_report(int argc, const char* const* argv);

}  // namespace rocktable
