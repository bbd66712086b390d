#include "server/access/roles/roles.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/threads/mutex.h"
#include "base/threads/thread_copy.h"

namespace rocktable {
namespace {

std::string place_in_words(const RequiredActions& required, std::string_view account, std::string_view table) {
  const std::string of_account = "the account '" + std::string(account) + "'";
  if (required.of_account) return of_account + ", not on a single table";
  return table.empty() ? of_account : of_account + " or its table '" + std::string(table) + "'";
}

}  // namespace

Grants::Grants(std::shared_ptr<const RoleDocument> roles, std::string object_id, std::string tenant_id,
               std::string account)
    : roles_(std::move(roles)),
      object_id_(std::move(object_id)),
      tenant_id_(std::move(tenant_id)),
      account_(std::move(account)) {
  const auto* identity = roles_->identity_of(object_id_);
  is_of_other_tenant_ = identity != nullptr && !identity->tenant_id.empty() && identity->tenant_id != tenant_id_;
}

bool Grants::is_of_caller(const RoleAssignment& assignment) const {
  return !is_of_other_tenant_ && !object_id_.empty() && assignment.object_id == object_id_;
}

bool Grants::permit(const RequiredActions& required, std::string_view table) const {
  const std::string name = to_lower_ascii(table);
  ActionSet held;
  for (const RoleAssignment& assignment : roles_->assignments) {
    if (!is_of_caller(assignment)) continue;
    const RoleScope& scope = assignment.scope;
    const bool counts = required.of_account ? scope.covers(account_)
                        : name.empty()      ? scope.account.empty() || scope.account == account_
                                            : scope.covers(account_, name);
    if (counts) held |= assignment.granted;
  }
  return required.are_in(held);
}

std::string Grants::explain(std::string_view operation, const RequiredActions& required, std::string_view table) const {
  std::string out = std::string(operation) + " needs " + in_words(required) + " on " +
                    place_in_words(required, account_, table) + ". ";
  if (object_id_.empty()) return out + "The token has no claim oid, so that no role can be assigned to it.";
  const std::string who(roles_->shown_identity(object_id_));
  if (is_of_other_tenant_)
    return out + who + " is of the tenant " + roles_->identity_of(object_id_)->tenant_id + ", the token is of " +
           (tenant_id_.empty() ? "none" : tenant_id_) + ".";
  std::string held;
  for (const RoleAssignment& assignment : roles_->assignments) {
    if (!is_of_caller(assignment)) continue;
    held += (held.empty() ? "" : ", ") + assignment.role;
    if (assignment.scope != RoleScope()) held += " on " + to_string(assignment.scope);
  }
  out += who + (held.empty() ? " has no role. " : " has " + held + ". ");
  std::string with_it;
  for (const Role& role : built_in_roles())
    if (required.are_in(role.granted)) with_it += (with_it.empty() ? "" : ", ") + role.name;
  return out + "Built-in roles with it: " + with_it + ".";
}

struct Roles::State {
  Version version;  // of `roles`
  Mutex mutex;      // guards `roles`
  std::shared_ptr<const RoleDocument> roles;
};

Roles::Roles() : state_(std::make_unique<State>()) {}
Roles::~Roles() = default;

void Roles::replace(RoleDocument roles) { set(std::make_shared<const RoleDocument>(std::move(roles))); }

void Roles::remove() { set(nullptr); }

void Roles::set(std::shared_ptr<const RoleDocument> roles) {
  const std::lock_guard lock(state_->mutex);
  state_->roles = std::move(roles);
  state_->version.change();
}

std::shared_ptr<const RoleDocument> Roles::document() const {
  thread_local ThreadCopy<std::shared_ptr<const RoleDocument>> copy;
  if (const auto* roles = copy.find(state_->version.current(), "")) return *roles;
  const std::lock_guard lock(state_->mutex);
  return copy.keep(state_->version.current(), "", state_->roles);
}

std::shared_ptr<const Grants> Roles::grants_of(std::string_view object_id, std::string_view tenant_id,
                                               std::string_view account) const {
  auto roles = document();
  if (!roles) return nullptr;
  return std::make_shared<const Grants>(std::move(roles), to_lower_ascii(object_id), to_lower_ascii(tenant_id),
                                        std::string(account));
}

}  // namespace rocktable
