// The file system that a store uses instead of the machine's own: tests count and refuse calls with it.
#pragma once

#include <rocksdb/env.h>

namespace rocktable {

struct StoreEnvironment {
  rocksdb::Env& env;
};

}  // namespace rocktable
