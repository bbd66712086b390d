// rocktable migrate up|abort|status|verify|new: migrations from files.
#pragma once

namespace rocktable::migration {

int run_migrate(int argc, const char* const* argv);

}  // namespace rocktable::migration
