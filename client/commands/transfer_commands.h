// The command lines of rocktable export, import and copy.
#pragma once

namespace rocktable {

// Return the exit code: 0 success, 2 wrong usage. Throw std::exception on failure (exit code 1).
int run_export(int argc, const char* const* argv);
int run_import(int argc, const char* const* argv);
int run_copy(int argc, const char* const* argv);

}  // namespace rocktable
