// rocktable export, import and copy: their command lines.
#pragma once

namespace rocktable {

// Exit codes: 0 done, 1 failed (thrown), 2 wrong usage.
int run_export(int argc, const char* const* argv);
int run_import(int argc, const char* const* argv);
int run_copy(int argc, const char* const* argv);

}  // namespace rocktable
