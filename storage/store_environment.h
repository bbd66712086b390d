// What a store uses in place of the machine's file system. Tests put one between that counts calls, or refuses them.
#pragma once

#include <rocksdb/env.h>

namespace rocktable {

struct StoreEnvironment {
  rocksdb::Env& env;
};

}  // namespace rocktable
