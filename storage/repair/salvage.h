// Copies the rows that can be read around those that cannot.
#pragma once

#include <rocksdb/db.h>

#include <functional>
#include <string>
#include <string_view>

namespace rocktable {

struct RowsOf {
  rocksdb::DB& db;
  rocksdb::ColumnFamilyHandle* family;
};

// Of each damaged block all rows are lost, and with them the rows of other files that lie between. `lost` is told the
// keys next to each gap: before it, and behind it; empty at the beginning and the end. Throws StoreFault.
void copy_readable(const RowsOf& from, const RowsOf& to,
                   const std::function<void(const std::string&, const std::string&)>& lost);

// The key half way between two others, which are read as fractions: a byte is a digit, and those that are missing are zero.
// Returns `high` where there is none.
std::string middle_of(std::string_view low, std::string_view high);

}  // namespace rocktable
