// rocktable snapshot take|restore|list|show|delete: manages snapshots of a running rocktable.
#pragma once

namespace rocktable {

int run_snapshot(int argc, const char* const* argv);

}  // namespace rocktable
