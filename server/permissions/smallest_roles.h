// The smallest roles that permit a set of actions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "server/access/roles/required_actions.h"
#include "server/access/roles/role_scope.h"

namespace rocktable {

// Of two ways, the one that permits less: entities/add/action instead of entities/write.
ActionSet narrowest(const RequiredActions& required);

// The names of as few built-in roles as possible, the smallest of these, that have all actions together.
std::vector<std::string> smallest_built_in_roles(ActionSet actions);

// A custom role with exactly these actions, in the form of the CLI: `az role definition create --role-definition FILE`.
nlohmann::json custom_role_of(ActionSet actions, const std::string& name, const RoleScope& scope);

}  // namespace rocktable
