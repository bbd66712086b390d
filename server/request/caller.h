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

// The owner of the account key may do everything. The holder of a bearer token may do everything except read and set
// access policies. The holder of a shared access signature may do what it grants.
struct Caller {
  enum class Kind { Owner, Bearer, AccountSas, TableSas } kind = Kind::Owner;
  std::string permissions;                         // letters
  std::string resource_types;                      // letters of `sco`; account SAS
  std::string table;                               // lower case; table SAS
  std::optional<KeyRange> keys;                    // the entities that it grants; nullopt: the whole table
  std::shared_ptr<const BearerClaims> token = {};  // bearer token; null for others, and for the owner
};

// The permissions that an operation needs: one of the letters `any_of`, or all of `all_of`.
struct RequiredAccess {
  char resource_type;  // s(ervice), c(ontainer: table) or o(bject: entity)
  std::string_view any_of;
  std::string_view all_of;
};

// Errors: AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch.
Result<void> authorize(const Caller& caller, const RequiredAccess& access);

// Whether the caller may access this entity.
bool may_access(const Caller& caller, const EntityKey& key);

// The part of `ranges` that the caller may access.
KeyRanges accessible_ranges(KeyRanges ranges, const Caller& caller);

}  // namespace rocktable
