#include "storage/rocksdb/database/engine_version.h"

#include <rocksdb/version.h>

namespace rocktable {

std::string engine_version() { return rocksdb::GetRocksVersionAsString(); }

}  // namespace rocktable
