// The variables of this process.
#pragma once

#include <string>
#include <vector>

namespace rocktable {

// The names of all variables. Windows ignores their case; then those that this program asks for are in upper case.
std::vector<std::string> environment_names();

}  // namespace rocktable
