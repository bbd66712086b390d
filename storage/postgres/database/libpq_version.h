#pragma once

#include <string>

namespace rocktable {

// The version of the libpq that this program uses: `15.18`.
std::string libpq_version();

}  // namespace rocktable
