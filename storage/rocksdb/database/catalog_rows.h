// Reads the catalog of a database without locks and cache: the tables of all accounts, and numbers.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "storage/rocksdb/database/database.h"

namespace rocktable {

// Calls `visit` with the key and the encoded row of each table of all accounts, in key order, until it
// returns false. Does not decode rows, so that damaged rows can be counted. Throws StoreFault.
void for_each_table_row(const Database& database,
                        const std::function<bool(std::string_view key, std::string_view row)>& visit);

// Returns the number of tables of all accounts, or `limit` if there are more. Throws StoreFault.
std::uint64_t count_tables(const Database& database, std::uint64_t limit);

// Returns the number in a row of the catalog, or nullopt if there is no such row. Throws StoreFault,
// CorruptRecord.
std::optional<std::uint64_t> read_number(const Database& database, std::string_view key);

}  // namespace rocktable
