// rocktable repair DIR: saves what is whole of a damaged store, and says what was lost.
#pragma once

namespace rocktable {

int run_repair(int argc, const char* const* argv);

}  // namespace rocktable
