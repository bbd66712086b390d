// The file system of a store. Tests replace it, to count calls and to make them fail.
#pragma once

#include <rocksdb/env.h>

namespace rocktable {

struct StoreEnvironment {
  rocksdb::Env& env;
};

}  // namespace rocktable
