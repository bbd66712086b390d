#pragma once

#include <string>

namespace rocktable {

// The version of the libpq that this program uses: `15.18`; empty if it has none.
std::string libpq_version();

}  // namespace rocktable
