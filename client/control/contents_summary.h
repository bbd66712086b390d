// What an instance holds, for those who are about to lose it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "client/control/control_client.h"

namespace rocktable {

struct ContentsSummary {
  std::map<std::string, std::uint64_t> tables_of;  // how many, of each account that has any

  std::uint64_t tables() const;
  // As if no other account had tables.
  ContentsSummary of_account(const std::string& account) const;
  // `all 12 tables of 2 accounts`, `1 table of the account orders`, `no tables`.
  std::string to_string() const;
};

// `1 table`, `1,200 tables`
std::string number_of_tables(std::uint64_t tables);

// Nothing where the instance cannot tell: its store is not available, or it is of a version that counts no tables. Throws as
// Instance::ask().
std::optional<ContentsSummary> contents_of(ControlClient& instance);

}  // namespace rocktable
