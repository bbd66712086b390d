// `rocktable behave`: shows or sets the behaviour of a running rocktable, and its clock.
#pragma once

namespace rocktable {

// Returns the exit code. Throws as run_command().
int run_behave(int argc, const char* const* argv);

}  // namespace rocktable
