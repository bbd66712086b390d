// Who calls, and what that caller may do.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"
#include "odata/key_ranges.h"

namespace rocktable {

// The owner of the account key may do everything; the holder of a bearer token all but read and set access
// policies; the holder of a shared access signature what it grants.
struct Caller {
  enum class Kind { Owner, Bearer, AccountSas, TableSas } kind = Kind::Owner;
  std::string permissions;       // letters
  std::string resource_types;    // letters of `sco`; account SAS
  std::string table;             // lower case; table SAS
  std::optional<KeyRange> keys;  // the entities that are in reach; nothing: all of the table
};

// What an operation asks of its caller: one of these letters, or all of them.
struct RequiredAccess {
  char resource_type;  // s(ervice), c(ontainer: table) or o(bject: entity)
  std::string_view any_of;
  std::string_view all_of;
};

// Errors: AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch.
Result<void> authorize(const Caller& caller, const RequiredAccess& access);

// Whether an entity is in the caller's reach.
bool may_touch(const Caller& caller, const EntityKey& key);

// The part of `ranges` that is.
KeyRanges within_reach(KeyRanges ranges, const Caller& caller);

}  // namespace rocktable
