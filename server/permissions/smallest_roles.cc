#include "server/permissions/smallest_roles.h"

#include <nlohmann/json.hpp>

#include "server/access/roles/role.h"

namespace rocktable {

ActionSet narrowest(const RequiredActions& required) {
  return required.or_all_of.empty() ? required.all_of : required.or_all_of;
}

// Roles are in the order of their size, and so are the combinations that are tried.
std::vector<std::string> smallest_built_in_roles(ActionSet actions) {
  const auto roles = built_in_roles();
  if (actions.empty()) return {};
  for (const Role& one : roles)
    if (one.granted.contains(actions)) return {one.name};
  for (std::size_t i = 0; i < roles.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      ActionSet both = roles[i].granted;
      both |= roles[j].granted;
      if (both.contains(actions)) return {roles[j].name, roles[i].name};
    }
  }
  return {};  // unreachable: Data Contributor and Owner have all actions
}

nlohmann::json custom_role_of(ActionSet actions, const std::string& name, const RoleScope& scope) {
  nlohmann::json plain = nlohmann::json::array(), data = nlohmann::json::array();
  for (const TableAction action : actions.list()) (is_data_action(action) ? data : plain).push_back(name_of(action));
  return {{"Name", name},
          {"IsCustom", true},
          {"Description", "Exactly what was used."},
          {"Actions", std::move(plain)},
          {"NotActions", nlohmann::json::array()},
          {"DataActions", std::move(data)},
          {"NotDataActions", nlohmann::json::array()},
          {"AssignableScopes", {azure_path_of(scope)}}};
}

}  // namespace rocktable
