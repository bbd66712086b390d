// value := HMAC(secret, account \n epoch \n owner \n tenant \n start \n expiry \n service \n version \n user tenant)
//
// The epoch is the time of the account's last revocation, empty at first. Times are yyyy-MM-ddTHH:mm:ssZ.
#include "server/access/delegation/delegation_keys.h"

#include <mutex>
#include <utility>

namespace rocktable {

DelegationKeys::DelegationKeys(std::string_view secret, Revocations revoked,
                               std::function<void(const Revocations&)> save)
    : secret_(secret), save_(std::move(save)), revoked_(std::move(revoked)) {}

std::string DelegationKeys::value_in_epoch(std::string_view account, std::string_view epoch,
                                           const DelegationKey& key) const {
  std::string text;
  for (const std::string_view line : {account, epoch, std::string_view(key.object_id), std::string_view(key.tenant_id)})
    text.append(line).append("\n");
  for (const std::string& line :
       {to_string(key.start), to_string(key.expiry), key.service, key.version, key.user_tenant_id})
    text.append(line).append("\n");
  text.pop_back();
  return secret_.sign(text);
}

std::string DelegationKeys::value_of(std::string_view account, const DelegationKey& key) const {
  return value_in_epoch(account, revoked_at(account), key);
}

std::string DelegationKeys::revoked_value_of(std::string_view account, const DelegationKey& key) const {
  return revoked_at(account).empty() ? std::string() : value_in_epoch(account, "", key);
}

void DelegationKeys::revoke(std::string_view account, DateTime now) {
  const std::lock_guard lock(mutex_);
  Revocations changed = revoked_;
  std::string& time = changed[std::string(account)];
  // Twice at one time, as with a frozen clock, are two revocations.
  DateTime later = now;
  while (to_string_7(later) == time) ++later.ticks;
  time = to_string_7(later);
  if (save_) save_(changed);
  revoked_ = std::move(changed);
}

std::string DelegationKeys::revoked_at(std::string_view account) const {
  const std::lock_guard lock(mutex_);
  const auto found = revoked_.find(account);
  return found != revoked_.end() ? found->second : std::string();
}

}  // namespace rocktable
