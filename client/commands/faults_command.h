// `rocktable faults`: adds, lists and removes fault rules of a running rocktable.
#pragma once

namespace rocktable {

// Returns the exit code. Throws as run_command().
int run_faults(int argc, const char* const* argv);

}  // namespace rocktable
