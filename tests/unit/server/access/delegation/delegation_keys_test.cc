// User delegation keys without state: what belongs to a value, and revocations.
#include "server/access/delegation/delegation_keys.h"

#include <doctest/doctest.h>

#include <set>
#include <stdexcept>

namespace rocktable::TEST_FILE {
namespace {

const DateTime kStart = parse_date_time("2026-01-01T00:00:00Z").value(),
               kExpiry = parse_date_time("2026-01-02T00:00:00Z").value();
const DelegationKey kKey{"oid", "tid", kStart, kExpiry, "t", "2025-07-05", ""};

TEST_CASE("The value of a key depends on the secret, the account and each of its fields") {
  const DelegationKeys keys("c2VjcmV0"), others("b3RoZXI=");
  CHECK(keys.value_of("acc", kKey) == DelegationKeys("c2VjcmV0").value_of("acc", kKey));
  std::set<std::string> values{keys.value_of("acc", kKey), keys.value_of("acd", kKey), others.value_of("acc", kKey)};
  const auto changed = [&](auto change) {
    DelegationKey key = kKey;
    change(key);
    values.insert(keys.value_of("acc", key));
  };
  changed([](DelegationKey& key) { key.object_id = "oie"; });
  changed([](DelegationKey& key) { key.tenant_id = "tie"; });
  changed([](DelegationKey& key) { key.start.ticks += kTicksPerSecond; });
  changed([](DelegationKey& key) { key.expiry.ticks += kTicksPerSecond; });
  changed([](DelegationKey& key) { key.service = "b"; });
  changed([](DelegationKey& key) { key.version = "2025-11-05"; });
  changed([](DelegationKey& key) { key.user_tenant_id = "tid"; });
  // Fields do not run into each other.
  changed([](DelegationKey& key) { key.object_id = "oidtid", key.tenant_id = ""; });
  CHECK(values.size() == 11);
}

TEST_CASE("A revocation ends all keys of one account, and none that comes later") {
  DelegationKeys keys("c2VjcmV0");
  const std::string before = keys.value_of("acc", kKey), other = keys.value_of("other", kKey);
  CHECK(keys.revoked_at("acc") == "");
  CHECK(keys.revoked_value_of("acc", kKey) == "");
  keys.revoke("acc", kStart);
  const std::string after = keys.value_of("acc", kKey);
  CHECK(after != before);
  CHECK(keys.revoked_value_of("acc", kKey) == before);
  CHECK(keys.revoked_at("acc") == "2026-01-01T00:00:00.0000000Z");
  CHECK(keys.value_of("other", kKey) == other);
  keys.revoke("acc", kStart);  // with a frozen clock
  CHECK(keys.value_of("acc", kKey) != after);
}

TEST_CASE("Revocations are saved, and count in the next run") {
  DelegationKeys::Revocations saved;
  DelegationKeys keys("c2VjcmV0", {}, [&](const auto& revoked) { saved = revoked; });
  keys.revoke("acc", kStart);
  CHECK(DelegationKeys("c2VjcmV0", saved).value_of("acc", kKey) == keys.value_of("acc", kKey));
  DelegationKeys failing("c2VjcmV0", {}, [](const auto&) { throw std::runtime_error("disk"); });
  const std::string value = failing.value_of("acc", kKey);
  CHECK_THROWS(failing.revoke("acc", kStart));
  CHECK(failing.value_of("acc", kKey) == value);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
