#include "storage/rocksdb/database/catalog_rows.h"

#include <memory>
#include <string>

#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/format/catalog_codec.h"

namespace rocktable {

void for_each_table_row(const Database& database,
                        const std::function<bool(std::string_view key, std::string_view row)>& visit) {
  const rocksdb::Slice end = slice(kTableRows.second);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end;
  const std::unique_ptr<rocksdb::Iterator> rows(database.db().NewIterator(options, database.catalog()));
  for (rows->Seek(slice(kTableRows.first)); rows->Valid(); rows->Next())
    if (!visit(view(rows->key()), view(rows->value()))) break;
  check(rows->status());
}

std::uint64_t count_tables(const Database& database, std::uint64_t limit) {
  std::uint64_t out = 0;
  if (limit > 0) for_each_table_row(database, [&](std::string_view, std::string_view) { return ++out < limit; });
  return out;
}

std::optional<std::uint64_t> read_number(const Database& database, std::string_view key) {
  std::string bytes;
  const auto status = database.db().Get({}, database.catalog(), slice(key), &bytes);
  if (status.IsNotFound()) return std::nullopt;
  check(status);
  return decode_number(bytes);
}

}  // namespace rocktable
