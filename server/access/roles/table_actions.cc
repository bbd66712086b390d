#include "server/access/roles/table_actions.h"

#include <array>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::array<std::string_view, kTableActionCount> kActionNames = {
    "Microsoft.Storage/storageAccounts/tableServices/read",
    "Microsoft.Storage/storageAccounts/tableServices/write",
    "Microsoft.Storage/storageAccounts/tableServices/generateUserDelegationKey/action",
    "Microsoft.Storage/storageAccounts/tableServices/tables/read",
    "Microsoft.Storage/storageAccounts/tableServices/tables/write",
    "Microsoft.Storage/storageAccounts/tableServices/tables/delete",
    "Microsoft.Storage/storageAccounts/tableServices/tables/getAcl/action",
    "Microsoft.Storage/storageAccounts/tableServices/tables/setAcl/action",
    "Microsoft.Storage/storageAccounts/tableServices/tables/entities/read",
    "Microsoft.Storage/storageAccounts/tableServices/tables/entities/write",
    "Microsoft.Storage/storageAccounts/tableServices/tables/entities/delete",
    "Microsoft.Storage/storageAccounts/tableServices/tables/entities/add/action",
    "Microsoft.Storage/storageAccounts/tableServices/tables/entities/update/action",
};

// Goes back to the last `*` at a mismatch: linear in practice, at worst the product of the lengths.
bool matches_pattern(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, after_star = pattern.npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      resume = t;
    } else if (p < pattern.size() && to_lower_ascii(pattern[p]) == to_lower_ascii(text[t])) {
      ++p;
      ++t;
    } else if (after_star != pattern.npos) {
      p = after_star;
      t = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

}  // namespace

std::string_view name_of(TableAction action) { return kActionNames[static_cast<std::size_t>(action)]; }

bool is_data_action(TableAction action) { return action >= TableAction::ReadEntities; }

std::vector<TableAction> ActionSet::list() const {
  std::vector<TableAction> out;
  for (int i = 0; i < kTableActionCount; ++i)
    if (const auto action = static_cast<TableAction>(i); contains(action)) out.push_back(action);
  return out;
}

ActionSet matching_actions(std::string_view pattern, bool data_actions) {
  ActionSet out;
  for (int i = 0; i < kTableActionCount; ++i) {
    const auto action = static_cast<TableAction>(i);
    if (is_data_action(action) == data_actions && matches_pattern(pattern, name_of(action))) out |= action;
  }
  return out;
}

}  // namespace rocktable
