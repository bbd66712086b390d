// `rocktable report`, which can also read the diagnostic logs of the real service: the server knows them.
#pragma once

namespace rocktable {

// Returns the exit code. Throws as run_command().
int run_report_from_logs(int argc, const char* const* argv);

}  // namespace rocktable
