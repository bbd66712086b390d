// Rows that may be older than what a damaged file has lost.
#pragma once

#include <functional>
#include <string>

#include "storage/rocksdb/database/database.h"
#include "storage/rocksdb/repair/table_files.h"

namespace rocktable {

// Calls `visit` with the key of each row of the range that another file has, and that is not newer than everything in
// the damaged file. The lost rows may have been newer versions of them, or deletions. Throws StoreFault.
void for_each_older_version(Database& database, const LostRange& range,
                            const std::function<void(const std::string&)>& visit);

}  // namespace rocktable
