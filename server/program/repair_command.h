// rocktable repair DIR: saves the undamaged data of a damaged store, and reports the losses.
#pragma once

namespace rocktable {

int run_repair(int argc, const char* const* argv);

}  // namespace rocktable
