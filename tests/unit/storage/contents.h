// The contents of an account as one text, to compare two stores, or two moments of a store, as a whole.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/store.h"

namespace rocktable {

inline std::vector<std::string> table_names(const OpenedStore& store, std::string_view account) {
  std::vector<std::string> out;
  store.list_tables(account, all_keys(), 1'000'000, [&](const Table& table) {
    out.push_back(table.name);
    return true;
  });
  return out;
}

inline std::string contents(const OpenedStore& store, std::string_view account) {
  std::string out;
  for (const auto& table : table_names(store, account)) {
    out += "table " + table + " " + store.signed_identifiers({account, table}).value() + "\n";
    for (const Entity& entity : entities_in(store, {account, table})) out += text_of(entity) + "\n";
  }
  if (const auto properties = store.service_properties(account)) out += "properties " + *properties + "\n";
  return out;
}

// Writes rows 0 to count - 1 of partition p, with `bytes` bytes each.
inline void write_rows(OpenedStore& store, const TableName& name, int count, std::size_t bytes = 10) {
  for (int first = 0; first < count; first += 100) {
    std::vector<Mutation> writes;
    for (int row = first; row < count && row < first + 100; ++row)
      writes.push_back(upsert(std::to_string(row), {{"b", Binary{std::string(bytes, 'x')}}}));
    committed(store, name, "p", writes);
  }
}

inline void make_table(OpenedStore& store, const TableName& name, int rows = 3, std::size_t bytes = 10) {
  REQUIRE(outcome(store.create_table(name)) == "done");
  write_rows(store, name, rows, bytes);
}

// Creates two accounts with tables, signed identifiers and settings.
inline void make_accounts(OpenedStore& store) {
  for (const std::string_view account : {"acct", "other"}) {
    make_table(store, {account, "First"});
    make_table(store, {account, "second"}, 500);
    make_table(store, {account, "third"}, 0);
    REQUIRE(outcome(store.set_signed_identifiers({account, "first"}, "who may")) == "done");
    store.set_service_properties(account, "settings of " + std::string(account));
  }
}

// The contents of these two accounts.
inline std::string everything(const OpenedStore& store) { return contents(store, "acct") + contents(store, "other"); }

}  // namespace rocktable
