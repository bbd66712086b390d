#include "server/access/delegation/delegation_checks.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {
namespace {

Error not_authentic(std::string sentence) { return {ErrorCode::AuthenticationFailed, std::move(sentence)}; }

// Each letter once, in this order. Source: the builders of the official libraries.
bool has_ordered_letters(std::string_view letters) {
  constexpr std::string_view kOrder = "raud";
  std::size_t at = 0;
  for (const char letter : letters) {
    const auto found = kOrder.find(letter, at);
    if (found == kOrder.npos) return false;
    at = found + 1;
  }
  return !letters.empty();
}

bool is_whole_second(DateTime time) { return time == whole_second(time); }

}  // namespace

Result<void> check_delegation_form(const SasParameters& sas) {
  if (sas.has_repeated) return not_authentic("A field of the SAS is repeated in the query.");
  const std::array<std::pair<const char*, const std::string*>, 9> needed = {{{"sv (version)", &sas.version},
                                                                             {"tn (table)", &sas.table},
                                                                             {"sp (permissions)", &sas.permissions},
                                                                             {"se (expiry)", &sas.expiry},
                                                                             {"sktid", &sas.key_tenant_id},
                                                                             {"skt", &sas.key_start},
                                                                             {"ske", &sas.key_expiry},
                                                                             {"sks", &sas.key_service},
                                                                             {"skv", &sas.key_version}}};
  for (const auto& [name, value] : needed)
    if (value->empty()) return not_authentic("The user delegation SAS has no " + std::string(name) + ".");
  if (sas.version < kFirstTableDelegation)
    return not_authentic("The version (sv) of a user delegation SAS for tables must be 2025-07-05 or later.");
  if (sas.key_service != "t")
    return not_authentic(
        "The key of the SAS is for another service (sks): a key for tables is from the table endpoint, with sks=t.");
  if (!sas.identifier.empty()) return not_authentic("A user delegation SAS cannot have a stored access policy (si).");
  if (!has_ordered_letters(sas.permissions))
    return not_authentic("The permissions (sp) must be letters of raud in this order, each once.");
  if (!sas.key_user_tenant_id.empty() && sas.user_object_id.empty())
    return not_authentic("The SAS has the tenant of its user (skdutid), but not the user (sduoid).");
  if (!sas_string_to_sign(sas, "account"))
    return not_authentic("The version (sv) is no date, or a field of the SAS contains a line break.");
  return {};
}

std::optional<DelegationKey> delegation_key_of(const SasParameters& sas) {
  const auto start = parse_access_time(sas.key_start), expiry = parse_access_time(sas.key_expiry);
  if (!start || !expiry || !is_whole_second(*start) || !is_whole_second(*expiry)) return std::nullopt;
  return DelegationKey{to_lower_ascii(sas.key_object_id),
                       to_lower_ascii(sas.key_tenant_id),
                       *start,
                       *expiry,
                       sas.key_service,
                       sas.key_version,
                       to_lower_ascii(sas.key_user_tenant_id)};
}

Result<void> check_delegation_signature(const SasParameters& sas, std::string_view account,
                                        const DelegationKeys* keys) {
  if (keys == nullptr) return not_authentic("There are no user delegation keys: start with --oauth basic.");
  const auto key = delegation_key_of(sas);
  if (!key) return not_authentic("The times of the key (skt, ske) are not those of a key: yyyy-MM-ddTHH:mm:ssZ.");
  const auto text = sas_string_to_sign(sas, account);
  if (!text) return text.error();
  if (AccountKey(keys->value_of(account, *key)).has_signed(*text, sas.signature)) return {};
  const std::string revoked = keys->revoked_value_of(account, *key);
  if (!revoked.empty() && AccountKey(revoked).has_signed(*text, sas.signature))
    return not_authentic("The key of the SAS was revoked: the account's user delegation keys were revoked at " +
                         keys->revoked_at(account) + ". Ask for a new key.");
  return not_authentic("");
}

Result<void> check_key_interval(const SasParameters& sas, DateTime now) {
  const auto key = delegation_key_of(sas);
  if (!key) return not_authentic("The times of the key (skt, ske) are not times.");
  if (key->start <= now && now <= key->expiry) return {};
  return not_authentic(std::string("Signature not valid in the specified key time frame: the key of the SAS ") +
                       (now < key->start ? "is not valid yet" : "is expired, and the SAS with it") + ". Key start " +
                       to_http_date(key->start) + " - Key expiry " + to_http_date(key->expiry) + " - Current " +
                       to_http_date(now) + ".");
}

Result<void> check_only_user(const SasParameters& sas, const std::optional<Result<BearerClaims>>& token) {
  if (sas.user_object_id.empty()) return {};
  if (!token)
    return Error(ErrorCode::NoAuthenticationInformation,
                 "The SAS is for one user (sduoid): the request needs the bearer token of that user in Authorization.");
  if (!*token) return token->error();
  const BearerClaims& user = **token;
  // Without skdutid the user is of the tenant of the key's owner.
  const std::string& tenant = sas.key_user_tenant_id.empty() ? sas.key_tenant_id : sas.key_user_tenant_id;
  if (!equals_ignoring_case(user.object_id, sas.user_object_id))
    return not_authentic("The SAS is for another user: the object id (oid) of the token is not that of sduoid.");
  if (!equals_ignoring_case(user.tenant_id, tenant))
    return not_authentic("The SAS is for a user of another tenant: the tenant (tid) of the token is not that of " +
                         std::string(sas.key_user_tenant_id.empty() ? "sktid." : "skdutid."));
  return {};
}

}  // namespace rocktable
