// Number of tables per account of a running rocktable, shown before and after data is deleted.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "client/control/control_client.h"

namespace rocktable {

struct TableCounts {
  std::map<std::string, std::uint64_t> by_account;  // number of tables; accounts without tables are absent

  std::uint64_t total() const;
  // The counts of this account only.
  TableCounts of_account(const std::string& account) const;
  // Returns `all 12 tables of 2 accounts`, `1 table of the account orders` or `no tables`.
  std::string to_string() const;
};

// Returns `1 table`, `1,200 tables`.
std::string number_of_tables(std::uint64_t tables);

// Requests the counts from the instance. Returns nullopt if the instance cannot count: its store is
// unavailable, or its version lacks this resource. Throws as ControlClient::request().
std::optional<TableCounts> request_table_counts(ControlClient& instance);

}  // namespace rocktable
