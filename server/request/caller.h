// Who calls, and what the caller may do.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"
#include "odata/key_ranges.h"
#include "odata/protocol/bearer_token.h"

namespace rocktable {

class Grants;  // server/access/roles/roles.h

// Whose roles count for a caller.
struct CallerIdentity {
  std::string object_id;                 // of the token, or of the owner of a user delegation key; may be empty
  std::optional<BearerClaims> token;     // of a bearer token
  std::shared_ptr<const Grants> grants;  // of its roles; null: there are no roles, and everything is permitted
};

// The owner of the account key may do everything, the holder of a bearer token what its roles permit. The holder of a
// shared access signature may do what it grants; one that is signed with a user delegation key also needs the roles of
// the key's owner.
struct Caller {
  enum class Kind { Owner, Bearer, AccountSas, TableSas, DelegationSas } kind = Kind::Owner;
  std::string permissions;                              // letters
  std::string resource_types;                           // letters of `sco`; account SAS
  std::string table;                                    // lower case; table and delegation SAS
  std::optional<KeyRange> keys;                         // the entities that it grants; nullopt: the whole table
  std::shared_ptr<const CallerIdentity> identity = {};  // of tokens and delegation SAS; null for all others

  bool has_sas_of_table() const { return kind == Kind::TableSas || kind == Kind::DelegationSas; }
};

// The permissions that an operation needs: one of the letters `any_of`, or all of `all_of`.
struct RequiredAccess {
  char resource_type;  // s(ervice), c(ontainer: table) or o(bject: entity)
  std::string_view any_of;
  std::string_view all_of;
};

// Whether the permissions of a signature suffice; roles do not count here. Errors: AuthorizationResourceTypeMismatch,
// AuthorizationPermissionMismatch, AuthorizationFailure (a table SAS beyond entities).
Result<void> authorize(const Caller& caller, const RequiredAccess& access);

// Whether the caller may access this entity.
bool may_access(const Caller& caller, const EntityKey& key);

// The part of `ranges` that the caller may access.
KeyRanges accessible_ranges(KeyRanges ranges, const Caller& caller);

}  // namespace rocktable
