// The actions that each operation requires of a caller with roles.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory#permissions-for-table-service-operations
#pragma once

#include <optional>
#include <string>

#include "server/access/roles/table_actions.h"
#include "server/request/operation.h"

namespace rocktable {

// All actions of one of the two sets.
struct RequiredActions {
  ActionSet all_of;
  ActionSet or_all_of = {};  // empty: there is no other way
  bool of_account = false;   // assigned for the account or more, not for a single table

  bool are_in(ActionSet held) const {
    return held.contains(all_of) || (!or_all_of.empty() && held.contains(or_all_of));
  }
};

// nullopt for a batch: each of its operations is authorized separately.
std::optional<RequiredActions> required_actions(const Operation& operation);

// `A`, `A or B`, `A, or B and C`, with short names (`entities/write`) and the list of a role to which they belong.
std::string in_words(const RequiredActions& required);

}  // namespace rocktable
