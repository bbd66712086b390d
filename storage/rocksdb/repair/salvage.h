// Copies the readable rows of a damaged database.
#pragma once

#include <rocksdb/db.h>

#include <functional>
#include <string>
#include <string_view>

namespace rocktable {

struct RowFamily {
  rocksdb::DB& db;
  rocksdb::ColumnFamilyHandle* family;
};

// Copies all readable rows. Loses all rows of a damaged block, and the rows of other files between them.
// Calls `lost` with the keys before and after each gap; a key is empty at the beginning or at the end. Throws
// StoreFault.
void copy_readable(const RowFamily& from, const RowFamily& to,
                   const std::function<void(const std::string&, const std::string&)>& lost);

// Returns the key half way between two others. Keys are read as fractions with bytes as digits; missing
// digits are zero. Returns `high` if there is no key between.
std::string middle_of(std::string_view low, std::string_view high);

}  // namespace rocktable
