// The roles in force, and what they grant to one caller.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "server/access/roles/required_actions.h"
#include "server/access/roles/role_document.h"

namespace rocktable {

// What the roles grant to an identity in one account, as of one moment: all checks of a request see the same roles.
// Copies are cheap. Thread-safe.
class Grants {
 public:
  // `object_id` in lower case, empty if the caller has none. `tenant_id` empty: unknown.
  Grants(std::shared_ptr<const RoleDocument> roles, std::string object_id, std::string tenant_id, std::string account);

  // Whether the caller may do what requires this on a table. An empty table is that of an operation whose URL names
  // none: some table must be allowed, and who reads the body asks again.
  bool permit(const RequiredActions& required, std::string_view table) const;

  // Explains a refusal: what is missing, where, what the caller has, and which built-in roles have it.
  std::string explain(std::string_view operation, const RequiredActions& required, std::string_view table) const;

 private:
  bool is_of_caller(const RoleAssignment& assignment) const;

  std::shared_ptr<const RoleDocument> roles_;
  std::string object_id_, tenant_id_, account_;
  bool is_of_other_tenant_ = false;  // the identity has a tenant, and the caller another one
};

// The shared roles. Without any (the default), a token permits everything. Thread-safe. A look-up takes no lock.
class Roles {
 public:
  Roles();
  ~Roles();
  Roles(const Roles&) = delete;
  Roles& operator=(const Roles&) = delete;

  // For requests that start after the call.
  void replace(RoleDocument roles);
  void remove();

  // nullptr: there are none.
  std::shared_ptr<const RoleDocument> document() const;
  bool are_on() const { return document() != nullptr; }

  // nullptr: there are no roles, and everything is permitted. GUIDs of either case.
  std::shared_ptr<const Grants> grants_of(std::string_view object_id, std::string_view tenant_id,
                                          std::string_view account) const;

 private:
  struct State;
  void set(std::shared_ptr<const RoleDocument> roles);

  std::unique_ptr<State> state_;
};

}  // namespace rocktable
