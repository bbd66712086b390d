#include "server/request/caller.h"

#include <algorithm>

namespace rocktable {

Result<void> authorize(const Caller& caller, const RequiredAccess& access) {
  if (caller.kind == Caller::Kind::Owner || caller.kind == Caller::Kind::Bearer) return {};
  const auto granted = [&](char letter) { return caller.permissions.find(letter) != std::string::npos; };
  if (caller.kind == Caller::Kind::TableSas && access.resource_type != 'o')
    return Error(ErrorCode::AuthorizationFailure);
  if (caller.kind == Caller::Kind::DelegationSas && access.resource_type != 'o')
    return Error(ErrorCode::AuthorizationPermissionMismatch);
  if (caller.kind == Caller::Kind::AccountSas && caller.resource_types.find(access.resource_type) == std::string::npos)
    return Error(ErrorCode::AuthorizationResourceTypeMismatch);
  const bool any = std::any_of(access.any_of.begin(), access.any_of.end(), granted);
  const bool all = !access.all_of.empty() && std::all_of(access.all_of.begin(), access.all_of.end(), granted);
  if (!any && !all) return Error(ErrorCode::AuthorizationPermissionMismatch);
  return {};
}

bool may_access(const Caller& caller, const EntityKey& key) { return !caller.keys || contains(*caller.keys, key); }

KeyRanges accessible_ranges(KeyRanges ranges, const Caller& caller) {
  return caller.keys ? intersect(std::move(ranges), *caller.keys) : ranges;
}

}  // namespace rocktable
