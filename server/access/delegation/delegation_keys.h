// User delegation keys: keys for shared access signatures that a caller with a bearer token asks for. They are not
// stored: the value is an HMAC of the key's fields, which each SAS repeats.
// Source: learn.microsoft.com/rest/api/storageservices/get-user-delegation-key
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "base/threads/mutex.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

inline constexpr std::int64_t kMaxDelegationKeyTicks = 7 * 86400 * kTicksPerSecond;  // from now to its expiry

struct DelegationKey {
  std::string object_id;  // of the owner: GUIDs in lower case
  std::string tenant_id;
  DateTime start, expiry;  // whole seconds
  std::string service = "t";
  std::string version;         // x-ms-version of the request for it
  std::string user_tenant_id;  // of the only users; empty: anybody
};

// Thread-safe.
class DelegationKeys {
 public:
  // When keys of accounts were revoked last: the account and the time.
  using Revocations = std::map<std::string, std::string, std::less<>>;

  // `secret`: base64. `revoked` and `save`: the revocations of earlier runs, and what stores those to come; `save` may
  // throw.
  explicit DelegationKeys(std::string_view secret, Revocations revoked = {},
                          std::function<void(const Revocations&)> save = {});

  // Returns the value of a key, base64 of 32 bytes.
  std::string value_of(std::string_view account, const DelegationKey& key) const;

  // Returns the value that the key had before the account's keys were revoked; empty if they never were.
  std::string revoked_value_of(std::string_view account, const DelegationKey& key) const;

  // Makes all keys of the account invalid that exist. A key that is asked for later is valid, even if its interval
  // begins before. Throws what `save` throws; then nothing is revoked.
  void revoke(std::string_view account, DateTime now);

  // The time of the last revocation; empty if there was none.
  std::string revoked_at(std::string_view account) const;

 private:
  std::string value_in_epoch(std::string_view account, std::string_view epoch, const DelegationKey& key) const;

  AccountKey secret_;
  std::function<void(const Revocations&)> save_;
  mutable Mutex mutex_;  // guards `revoked_`
  Revocations revoked_;
};

}  // namespace rocktable
