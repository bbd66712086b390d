#include "server/identity/local_identities.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/base64.h"

namespace rocktable {
namespace {

// RFC 7515: base64 with another alphabet and without padding.
std::string base64_url(std::string text) {
  text.resize(text.find_last_not_of('=') + 1);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::int64_t unix_seconds(DateTime time) { return (time.ticks - kUnixEpoch.ticks) / kTicksPerSecond; }

}  // namespace

LocalIdentities::LocalIdentities(std::vector<LocalIdentity> identities, const InstanceSecret& secret)
    : identities_(std::move(identities)),
      key_(secret.derive("rocktable: tokens of local identities, version 1")),
      header_(base64_url(secret.derive("rocktable: header of the identity endpoint, version 1"))) {}

std::string LocalIdentities::signature_of(std::string_view signed_part) const {
  return base64_url(key_.sign(signed_part));
}

std::string LocalIdentities::issue(const LocalIdentity& identity, std::string_view resource, DateTime now) const {
  const std::int64_t at = unix_seconds(now);
  const std::string tenant(kLocalTenant);
  const nlohmann::json header = {{"alg", "HS256"}, {"typ", "JWT"}};
  const nlohmann::json payload = {{"aud", std::string(resource)},
                                  {"iss", "https://sts.windows.net/" + tenant + "/"},
                                  {"iat", at},
                                  {"nbf", at},
                                  {"exp", at + kLifetimeSeconds},
                                  {"appid", identity.app_id},
                                  {"idtyp", "app"},
                                  {"name", identity.name},
                                  {"oid", identity.object_id},
                                  {"sub", identity.object_id},
                                  {"tid", tenant},
                                  {"ver", "1.0"}};
  std::string out = base64_url(encode_base64(header.dump())) + "." + base64_url(encode_base64(payload.dump()));
  const std::string signature = signature_of(out);
  return out.append(".").append(signature);
}

Result<void> LocalIdentities::check_signature(std::string_view token, const BearerClaims& claims) const {
  if (claims.tenant_id != kLocalTenant) return {};
  const std::size_t dot = token.rfind('.');
  if (dot != std::string_view::npos &&
      equal_in_constant_time(token.substr(dot + 1), signature_of(token.substr(0, dot))))
    return {};
  return Error{ErrorCode::InvalidBearerToken,
               "The token is of a local identity, but this instance did not sign it: it is of another instance, or of "
               "an earlier run in memory."};
}

}  // namespace rocktable
