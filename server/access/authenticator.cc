#include "server/access/authenticator.h"

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <cstdlib>
#include <optional>

#include "base/last_result.h"
#include "base/text.h"
#include "odata/protocol/bearer_token.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/sas.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authentication_checks.h"
#include "server/access/delegation/delegation_checks.h"

namespace rocktable {
namespace {

constexpr std::int64_t kMaxSkewTicks = 15 * 60 * kTicksPerSecond;

}  // namespace

bool is_signed(std::string_view text, std::string_view signature, const std::vector<std::string>& keys) {
  return std::any_of(keys.begin(), keys.end(),
                     [&](const std::string& key) { return cached_key(key).has_signed(text, signature); });
}

std::string_view date_of(const Headers& headers) {
  const auto date = headers.get("x-ms-date");
  return date.empty() ? headers.get("Date") : date;
}

bool is_current(std::string_view date, DateTime now) {
  const auto time = with_last_result<parse_http_date>(date);
  return time && std::abs(time->ticks - now.ticks) <= kMaxSkewTicks;
}

bool is_current(std::string_view date, AccessTimes times) {
  return is_current(date, times.now) || is_current(date, times.clients);
}

namespace {

std::string with_literal_quotes(std::string_view target) {
  std::string out;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool quote = target.substr(i, 3) == "%27";
    out += quote ? '\'' : target[i];
    if (quote) i += 2;
  }
  return out;
}

}  // namespace

std::vector<std::string> signed_targets(const Request& request, const Target& target) {
  std::vector<std::string> out{std::string(request.target)};
  const std::string primary = "/" + target.account, secondary = primary + "-secondary";
  if (target.secondary && request.target.starts_with(secondary)) {
    const std::string rest(request.target.substr(secondary.size()));
    out.push_back(primary + rest);
    if (rest.starts_with(primary + "/")) out.push_back(rest);
  }
  if (request.target.find("%27") == std::string_view::npos) return out;
  for (std::size_t i = 0, sent = out.size(); i < sent; ++i) out.push_back(with_literal_quotes(out[i]));
  return out;
}

std::string_view scheme_of(std::string_view authorization) { return authorization.substr(0, authorization.find(' ')); }

Result<Credentials> parse_credentials(std::string_view authorization) {
  const auto scheme = scheme_of(authorization);
  const bool lite = equals_ignoring_case(scheme, "SharedKeyLite");
  if (!lite && !equals_ignoring_case(scheme, "SharedKey")) return Error(ErrorCode::InvalidAuthenticationInfo);
  const auto rest = trim(authorization.substr(scheme.size()));
  const auto colon = rest.find(':');
  if (colon == rest.npos) return Error(ErrorCode::InvalidAuthenticationInfo);
  return Credentials{lite, rest.substr(0, colon), rest.substr(colon + 1)};
}

std::optional<std::string_view> bearer_token_of(std::string_view authorization) {
  const auto scheme = scheme_of(authorization);
  if (!equals_ignoring_case(scheme, "Bearer")) return std::nullopt;
  return trim(authorization.substr(scheme.size()));
}

bool names_account(const Credentials& credentials, const Target& target) {
  return credentials.account == target.account || credentials.account == target.account + "-secondary";
}

namespace {

std::string blob_and_queue_text(const Credentials& credentials, const Request& request, const Target& target,
                                std::string_view sent) {
  const auto& to_sign = credentials.lite ? blob_and_queue_lite_string_to_sign : blob_and_queue_string_to_sign;
  return to_sign(target.account, request.method, sent, request.headers);
}

bool signature_fits(const Credentials& credentials, std::string_view date, const std::vector<std::string>& keys,
                    const Request& request, const Target& target) {
  SignedRequest parts{
      request.method, request.headers.get("Content-MD5"), request.headers.get("Content-Type"), date, {}};
  const auto fits = [&](std::string_view sent) {
    if (request.service != StorageService::Table)
      return is_signed(blob_and_queue_text(credentials, request, target, sent), credentials.signature, keys);
    parts.target = sent;
    const std::string text = credentials.lite ? shared_key_lite_string_to_sign(target.account, parts)
                                              : shared_key_string_to_sign(target.account, parts);
    return is_signed(text, credentials.signature, keys);
  };
  if (fits(request.target)) return true;  // the first of signed_targets(), and nearly always the right one
  const auto targets = signed_targets(request, target);
  return std::any_of(targets.begin() + 1, targets.end(), fits);
}

}  // namespace

// --- Shared access signatures ---------------------------------------------------------------------------

bool apply_policy(const SignedIdentifier& policy, SasParameters& sas) {
  const std::string start = policy.start ? to_string_7(*policy.start) : "";
  const std::string expiry = policy.expiry ? to_string_7(*policy.expiry) : "";
  for (const auto& [field, stored] : {std::pair{&sas.start, &start}, std::pair{&sas.expiry, &expiry},
                                      std::pair{&sas.permissions, &policy.permissions}}) {
    if (!field->empty() && !stored->empty()) return false;
    if (field->empty()) *field = *stored;
  }
  return true;
}

bool has_letters_of(std::string_view known, std::string_view letters) {
  return !letters.empty() && letters.find_first_not_of(known) == letters.npos;
}

bool is_complete(const SasParameters& sas) {
  const bool names_all = has_letters_of("bqtf", sas.services) && has_letters_of("sco", sas.resource_types);
  return !sas.permissions.empty() && (names_all || !sas.is_account_sas());
}

bool is_within_validity(const SasParameters& sas, DateTime now) {
  const auto expiry = parse_access_time(sas.expiry);
  if (!expiry || now > *expiry) return false;
  if (sas.start.empty()) return true;
  const auto start = parse_access_time(sas.start);
  return start && now >= *start;
}

namespace {

std::optional<std::uint32_t> parse_ip_v4(std::string_view text) {
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address_v4(std::string(text), error);
  return error ? std::nullopt : std::optional(address.to_uint());
}

}  // namespace

bool is_allowed_ip(const std::string& allowed, std::string_view remote) {
  if (allowed.empty()) return true;
  const auto caller = parse_ip_v4(remote == "::1" ? "127.0.0.1" : remote);
  const auto dash = allowed.find('-');
  const auto first = parse_ip_v4(allowed.substr(0, dash));
  const auto last = dash == allowed.npos ? first : parse_ip_v4(allowed.substr(dash + 1));
  return caller && first && last && *first <= *caller && *caller <= *last;
}

bool has_complete_bounds(const SasParameters& sas) {
  return (sas.has_start_partition_key || !sas.has_start_row_key) && (sas.has_end_partition_key || !sas.has_end_row_key);
}

namespace {

// (spk, srk) <= key <= (epk, erk), each part optional. Requires has_complete_bounds().
std::optional<KeyRange> key_range_of(const SasParameters& sas) {
  if (!sas.has_start_partition_key && !sas.has_end_partition_key) return std::nullopt;
  KeyRange out{{sas.start_partition_key, sas.start_row_key}, std::nullopt};
  const std::string behind(1, '\0');
  if (sas.has_end_row_key) out.end = {sas.end_partition_key, sas.end_row_key + behind};
  if (sas.has_end_partition_key && !sas.has_end_row_key) out.end = {sas.end_partition_key + behind, ""};
  return out;
}

// The letter of the field `ss`.
char letter_of(StorageService service) {
  if (service == StorageService::Table) return 't';
  return service == StorageService::Blob ? 'b' : 'q';
}

Caller caller_of(const SasParameters& sas) {
  if (sas.is_account_sas()) return {Caller::Kind::AccountSas, sas.permissions, sas.resource_types, {}, std::nullopt};
  const auto kind = sas.is_delegation_sas() ? Caller::Kind::DelegationSas : Caller::Kind::TableSas;
  return {kind, sas.permissions, {}, to_lower_ascii(sas.table), key_range_of(sas)};
}

// Whether the query has a SAS of one user, whose token is checked in addition.
bool is_for_one_user(std::string_view query) {
  if (query.empty()) return false;
  const auto sas = parse_sas(query);
  return sas && sas->is_delegation_sas() && !sas->user_object_id.empty();
}

}  // namespace

Result<void> Authenticator::require_account(std::string_view account) const {
  if (accounts_.keys_of(account) == nullptr) return Error(ErrorCode::ResourceNotFound);
  return {};
}

Result<Caller> Authenticator::authenticate(const Request& request, const Target& target, bool secure,
                                           AccessTimes times) const {
  const auto* keys = accounts_.keys_of(target.account);
  if (keys == nullptr) return Error(ErrorCode::ResourceNotFound);
  const auto authorization = request.headers.get("Authorization");
  if (authorization.empty()) return authenticate_sas(request, target, secure, times.now, *keys);
  if (const auto token = bearer_token_of(authorization)) {
    if (is_for_one_user(target.query)) return authenticate_sas(request, target, secure, times.now, *keys);
    return authenticate_token(*token, target, secure, times.now);
  }
  return authenticate_key(authorization, request, target, times, *keys);
}

Result<Caller> Authenticator::authenticate_key(std::string_view authorization, const Request& request,
                                               const Target& target, AccessTimes times,
                                               const std::vector<std::string>& keys) const {
  const auto credentials = parse_credentials(authorization);
  if (!credentials) return credentials.error();
  const std::string_view date = date_of(request.headers);
  if (!names_account(*credentials, target) || !is_current(date, times) ||
      !signature_fits(*credentials, date, keys, request, target))
    return Error(ErrorCode::AuthenticationFailed);
  return Caller();
}

bool Authenticator::is_signed_by_account(const Request& request, DateTime now, bool secret) const {
  const auto credentials = parse_credentials(request.headers.get("Authorization"));
  const std::string_view date = date_of(request.headers);
  if (!credentials || credentials->lite || !is_current(date, now)) return false;
  Target target;
  target.account = credentials->account;
  const auto* keys = accounts_.keys_of(target.account);
  if (keys == nullptr) return false;
  std::vector<std::string> counting = *keys;
  if (secret) std::erase(counting, kDevelopmentKey);
  return signature_fits(*credentials, date, counting, request, target);
}

// Returns only the codes of check_token(): its messages are for explanations, not for the response.
Result<Caller> Authenticator::authenticate_token(std::string_view token, const Target& target, bool secure,
                                                 DateTime now) const {
  if (!tokens_.accepted || !secure) return Error(ErrorCode::AuthenticationFailed);
  auto claims = check_token(tokens_, token, target.account, now);
  if (!claims) return Error(claims.error().code);
  auto grants = tokens_.roles->grants_of(claims->object_id, claims->tenant_id, target.account);
  Caller out;
  out.kind = Caller::Kind::Bearer;
  out.identity =
      std::make_shared<const CallerIdentity>(CallerIdentity{claims->object_id, *std::move(claims), std::move(grants)});
  return out;
}

std::optional<Result<BearerClaims>> Authenticator::token_of(const Request& request, const Target& target, bool secure,
                                                            DateTime now) const {
  const auto token = bearer_token_of(request.headers.get("Authorization"));
  if (!token) return std::nullopt;
  if (!tokens_.accepted || !secure)
    return Error(ErrorCode::AuthenticationFailed, "Bearer tokens are accepted with --oauth basic, over HTTPS.");
  return check_token(tokens_, *token, target.account, now);
}

Result<void> Authenticator::check_account_signature(SasParameters& sas, const Request& request, const Target& target,
                                                    DateTime now, const std::vector<std::string>& keys) const {
  const auto text = sas_string_to_sign(sas, target.account);
  if (!text) return text.error();
  if (!sas.is_account_sas() && request.service != StorageService::Table)
    return Error(ErrorCode::AuthenticationFailed);  // a table SAS
  if (!is_signed(*text, sas.signature, keys) || !has_complete_bounds(sas))
    return Error(ErrorCode::AuthenticationFailed);

  if (!sas.is_account_sas() && !sas.identifier.empty()) {
    const auto identifiers = find_identifiers_(target.account, sas.table);
    const auto policy = std::find_if(identifiers.begin(), identifiers.end(),
                                     [&](const SignedIdentifier& i) { return i.id == sas.identifier; });
    if (policy == identifiers.end() || !apply_policy(*policy, sas)) return Error(ErrorCode::AuthenticationFailed);
  }
  if (!is_complete(sas) || !is_within_validity(sas, now)) return Error(ErrorCode::AuthenticationFailed);
  return {};
}

// explain_delegation() repeats these steps.
Result<void> Authenticator::check_delegation_sas(const SasParameters& sas, const Request& request, const Target& target,
                                                 bool secure, DateTime now) const {
  if (request.service != StorageService::Table) return Error(ErrorCode::AuthenticationFailed);
  if (const auto ok = check_delegation_form(sas); !ok) return ok;
  if (const auto ok = check_delegation_signature(sas, target.account, tokens_.delegation.get()); !ok) return ok;
  if (!has_complete_bounds(sas)) return Error(ErrorCode::AuthenticationFailed);
  if (const auto ok = check_key_interval(sas, now); !ok) return ok;
  if (!is_within_validity(sas, now)) return Error(ErrorCode::AuthenticationFailed);
  if (sas.user_object_id.empty()) return {};
  return check_only_user(sas, token_of(request, target, secure, now));
}

Result<Caller> Authenticator::authenticate_sas(const Request& request, const Target& target, bool secure, DateTime now,
                                               const std::vector<std::string>& keys) const {
  auto sas = parse_sas(target.query);
  if (!sas) return Error(ErrorCode::NoAuthenticationInformation);
  const auto counts = sas->is_delegation_sas() ? check_delegation_sas(*sas, request, target, secure, now)
                                               : check_account_signature(*sas, request, target, now, keys);
  if (!counts) return Error(counts.error().code);  // the message is for explanations
  if (!is_allowed_ip(sas->ip, request.remote_address)) {
    return Error(ErrorCode::AuthorizationSourceIPMismatch,
                 "This request is not authorized to perform this operation using this source IP " +
                     std::string(request.remote_address) + ".");
  }
  const bool any_protocol = sas->protocol.empty() || sas->protocol == "https,http" || sas->protocol == "http,https";
  if (!any_protocol && sas->protocol != "https") return Error(ErrorCode::AuthenticationFailed);
  if (!any_protocol && !secure) return Error(ErrorCode::AuthorizationProtocolMismatch);
  if (sas->is_account_sas() && sas->services.find(letter_of(request.service)) == std::string::npos)
    return Error(ErrorCode::AuthorizationServiceMismatch);
  Caller caller = caller_of(*sas);
  if (sas->is_delegation_sas()) {
    caller.identity = std::make_shared<const CallerIdentity>(
        CallerIdentity{to_lower_ascii(sas->key_object_id), std::nullopt,
                       tokens_.roles->grants_of(sas->key_object_id, sas->key_tenant_id, target.account)});
  }
  return caller;
}

}  // namespace rocktable
