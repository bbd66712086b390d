// The folder of --location and the file of --debug: which exist, which are made, which are refused.
#pragma once

#include <string>

namespace rocktable {

// Creates the folder and returns its absolute path. Returns an empty string if it exists. Creates only the last
// component, so that a mistyped --location does not become a new, empty store; `with_parents` creates all, as
// Azurite does. Throws StoreError.
std::string make_location(const std::string& location, bool with_parents);

// Returns the file for the debug log: `file`, or `rocktable-debug.log` in it if it is a folder, which is said on
// standard error. Its folder must exist; `with_parents` creates it, as Azurite does. Returns an empty string for an
// empty one. Throws std::runtime_error.
std::string debug_log(const std::string& file, bool with_parents);

}  // namespace rocktable
