// Who has which role where, as people write it: the file of --roles, and the body of PUT /_rocktable/roles.
//
// Either lines:
//
//   # comment
//   alice oid=11111111-1111-1111-1111-111111111111 [tid=GUID] [appid=GUID]    a name for an identity
//   role orders-clerk.json                                                    custom roles, in a file of Azure's JSON
//   alice Storage Table Data Contributor [SCOPE]                              an assignment; the role by name or id
//   22222222-2222-2222-2222-222222222222 "Orders Clerk" [SCOPE]               the identity by its oid
//
// or, if the text begins with `{` or `[`, JSON: {"identities": [{"name", "oid", "tid", "appid"}], "roles": [ROLE],
// "assignments": [{"identity", "role", "scope"}]}, each list optional; an assignment may also have Azure's members
// principalId, roleDefinitionName or roleDefinitionId, and scope. An array has roles and assignments.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "server/access/roles/role.h"
#include "server/access/roles/role_scope.h"

namespace rocktable {

struct RoleIdentity {
  std::string name;
  std::string object_id;  // GUIDs in lower case
  std::string tenant_id;  // empty: any tenant
  std::string app_id;     // may be empty: what asks for a token names it as its client id
};

struct RoleAssignment {
  std::string object_id;
  std::string role;  // name
  ActionSet granted;
  RoleScope scope;
};

struct RoleDocument {
  std::vector<RoleIdentity> identities;
  std::vector<Role> roles;  // custom ones
  std::vector<RoleAssignment> assignments;
  std::vector<std::string> doubts;  // sentences for the log

  // Returns nullptr if there is none.
  const Role* find_role(std::string_view text) const;
  const RoleIdentity* identity_of(std::string_view object_id) const;
  // The name of an identity if it has one, else its object id.
  std::string_view shown_identity(std::string_view object_id) const;
};

// Returns the text of a file that a line `role FILE` names.
using ReadRoleFile = std::function<std::string(const std::string& file)>;

// `source` names the text in errors. `read_file` empty: the text may not name files. `known`: identities that the text
// may name without defining them. Throws FileError with the place, and what `read_file` throws.
RoleDocument parse_roles(std::string_view text, const std::string& source, const ReadRoleFile& read_file = {},
                         const std::vector<RoleIdentity>& known = {});

// The JSON form, which parse_roles() reads: identities, roles and assignments.
nlohmann::json to_json(const RoleDocument& document);
nlohmann::json to_json(const Role& role);

}  // namespace rocktable
