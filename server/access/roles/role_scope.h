// Where a role is assigned: everywhere, for an account, or for one table.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rocktable {

struct RoleScope {
  std::string account;  // empty: all accounts
  std::string table;    // lower case; empty: all tables, and the account itself

  bool operator==(const RoleScope&) const = default;

  // Whether it includes an account and all of its tables.
  bool covers(std::string_view of_account) const { return table.empty() && (account.empty() || account == of_account); }
  // Whether it includes a table. `of_table` in lower case.
  bool covers(std::string_view of_account, std::string_view of_table) const {
    return (account.empty() || account == of_account) && (table.empty() || table == of_table);
  }
};

// Reads `ACCOUNT`, `ACCOUNT/TABLE`, or a path of Azure: of a subscription, a resource group or a management group (all
// accounts), of a storage account, its table service, or one of its tables. Throws std::invalid_argument with a sentence.
RoleScope parse_role_scope(std::string_view text);

// ACCOUNT/TABLE, ACCOUNT, or nothing.
std::string to_string(const RoleScope& scope);

// The scope as a path of Azure, with placeholders for what is not known here.
std::string azure_path_of(const RoleScope& scope);

}  // namespace rocktable
