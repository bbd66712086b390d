// Roles: Azure's built-in ones that matter for tables, and custom ones in the forms of Azure's own JSON.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "odata/files/json_reader.h"
#include "server/access/roles/table_actions.h"

namespace rocktable {

// One block of permissions. The not-lists take away from this block alone.
struct RolePermissions {
  std::vector<std::string> actions, not_actions, data_actions, not_data_actions;
};

struct Role {
  std::string name;
  std::string id;  // GUID in lower case; may be empty
  std::vector<RolePermissions> permissions;
  ActionSet granted;  // what they come to for tables
};

// What the blocks of permissions come to.
ActionSet granted_by(const std::vector<RolePermissions>& permissions);

// The built-in roles, from the smallest to the largest.
// Source: learn.microsoft.com/azure/role-based-access-control/built-in-roles
std::span<const Role> built_in_roles();

// Whether `text` means the role: its id, or its name without regard to case, blanks, hyphens and underscores, as in
// `StorageTableDataReader`.
bool means_role(std::string_view text, const Role& role);

// 8-4-4-4-12 hex digits.
bool is_guid(std::string_view text);

// Reads a role in one of the forms that Azure's tools write: the resource of a template (`properties.permissions[]`), the
// flat form of the CLI and the portal (`Actions`, `NotActions`, `DataActions`, `NotDataActions`), and the same in lower
// case. Other members are ignored, also the assignable scopes. Throws FileError.
Role read_role(const JsonReader& object);

// Whether an object is meant to be a role: it has permissions in one of the three forms.
bool looks_like_role(const JsonReader& object);

// What is doubtful in a role, as sentences: patterns for tables that match no action, and those in the wrong list.
std::vector<std::string> doubts_about(const Role& role);

}  // namespace rocktable
