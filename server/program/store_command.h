// rocktable store schema: prints the SQL of the tables in a database (docs/scale.md).
#pragma once

namespace rocktable {

int run_store(int argc, const char* const* argv);

}  // namespace rocktable
