// rocktable reset: empties a running rocktable, an account of it or one table.
#pragma once

namespace rocktable {

int run_reset(int argc, const char* const* argv);

}  // namespace rocktable
