// rocktable open: shows the explorer of a running instance in the browser.
#pragma once

namespace rocktable {

// Returns 0 if a browser was started, else 1.
int run_open(int argc, const char* const* argv);

}  // namespace rocktable
