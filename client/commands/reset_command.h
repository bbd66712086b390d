// rocktable reset: empties a running rocktable, one of its accounts, or one table.
#pragma once

namespace rocktable {

int run_reset(int argc, const char* const* argv);

}  // namespace rocktable
