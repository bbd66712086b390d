// The programs of the desktop.
#pragma once

#include <string>

namespace rocktable {

// Shows an address in a browser that does not end with this process. `chosen` is the program that the user named; empty
// is that of the desktop. Returns whether a browser started, and did not fail at once.
bool open_in_browser(const std::string& address, const std::string& chosen);

}  // namespace rocktable
