// `rocktable sas`: makes a shared access signature of a table, of an account, or with a user delegation key.
#pragma once

namespace rocktable {

// Returns the exit code.
int run_sas(int argc, const char* const* argv);

}  // namespace rocktable
