#include "server/access/refusal_explanation.h"

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "odata/protocol/bearer_token.h"
#include "odata/protocol/sas.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authentication_checks.h"
#include "server/access/delegation/delegation_checks.h"
#include "server/access/delegation/delegation_mistakes.h"
#include "server/access/roles/roles.h"
#include "server/access/signature_mistakes.h"
#include "server/request/operation_table.h"

namespace rocktable {
namespace {

// The input of authenticate().
struct AuthenticationAttempt {
  const Request& request;
  const Target& target;
  bool secure;
  AccessTimes times;
  const TokenRules& tokens;
};

constexpr std::size_t kMaxStringToSign = 2048;
constexpr std::size_t kMaxValue = 200;
constexpr std::size_t kMaxExplanation = 6144;

// Quotes `text` as one line of printable ASCII, cut after `limit` characters. A line break becomes `\n`, a
// backslash is doubled, other bytes become `\xHH`.
std::string in_quotes(std::string_view text, std::size_t limit = kMaxValue) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "'";
  for (const char c : text) {
    if (out.size() > limit) return out + "...'";
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (c == '\\') {
      out += "\\\\";
    } else if (byte >= ' ' && byte <= '~') {
      out += c;
    } else {
      out.append("\\x").append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
    }
  }
  return out + "'";
}

// Final check of every explanation before it reaches a header or a log: one line, printable, of bounded
// length.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  if (text.size() > kMaxExplanation) text.replace(kMaxExplanation, text.npos, "...");
  return text;
}

std::string in_words(std::int64_t ticks) {
  const std::int64_t seconds = std::abs(ticks) / kTicksPerSecond;
  const auto count = [](std::int64_t number, const char* unit) {
    return std::to_string(number) + " " + unit + (number == 1 ? "" : "s");
  };
  if (seconds < 120) return count(seconds, "second");
  if (seconds < 120 * 60) return count(seconds / 60, "minute");
  if (seconds < 48 * 3600) return count(seconds / 3600, "hour");
  return count(seconds / 86400, "day");
}

std::string explain_signature(const std::optional<std::string>& mistake, std::string_view signature,
                              std::string_view string_to_sign) {
  std::string out = "The signature does not match. ";
  if (signature.empty()) {
    out += "It is empty. ";
  } else if (mistake) {
    out += "The client " + *mistake + ". ";
  } else {
    out +=
        "No usual mistake explains it: the client may have used another key, or the request was changed on "
        "the "
        "way. ";
  }
  return out + "The string to sign is " + in_quotes(string_to_sign, kMaxStringToSign) + ".";
}

// --- Authorization headers -------------------------------------------------------------------------------

// Quotes only the scheme: the rest of the value may be a secret in the wrong place.
std::string explain_malformed(std::string_view authorization) {
  const auto scheme = scheme_of(authorization);
  const bool word = scheme.size() < authorization.size() && scheme.size() <= 20 &&
                    std::all_of(scheme.begin(), scheme.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
  return "The Authorization header is malformed" + (word ? " (scheme " + in_quotes(scheme) + ")" : "") +
         ": it must be 'SharedKey ACCOUNT:SIGNATURE', 'SharedKeyLite ACCOUNT:SIGNATURE' or 'Bearer TOKEN'.";
}

std::string explain_token(const AuthenticationAttempt& attempt, std::string_view token) {
  if (!attempt.tokens.accepted) return "Bearer tokens are not accepted: the emulator runs without --oauth basic.";
  if (!attempt.secure) return "Authentication scheme Bearer is not allowed with HTTP: send the token over HTTPS.";
  const auto claims = check_token(attempt.tokens, token, attempt.target.account, attempt.times.now);
  return claims ? explain_code(ErrorCode::AuthenticationFailed) : claims.error().message;
}

std::string explain_date(const Headers& headers, DateTime now) {
  const auto date = date_of(headers);
  if (date.empty()) return "The request has neither x-ms-date nor Date.";
  const std::string name = headers.get("x-ms-date").empty() ? "Date" : "x-ms-date";
  const auto time = parse_http_date(date);
  if (!time)
    return name + " is " + in_quotes(date) + ", which is not a date of the form 'Sat, 22 May 2021 23:05:14 GMT'.";
  return name + " is " + in_quotes(date) + ", " + in_words(time->ticks - now.ticks) +
         (*time < now ? " too old" : " in the future") + " compared with the server's clock, '" + to_http_date(now) +
         "'; at most 15 minutes are allowed.";
}

// Text that cannot be an account name is not quoted: it may be a key or a signature in the wrong place.
bool could_be_account(std::string_view text) {
  constexpr std::string_view kSecondary = "-secondary";
  if (text.ends_with(kSecondary)) text.remove_suffix(kSecondary.size());
  return is_account_name(text);
}

std::string account_in_words(std::string_view account) {
  return could_be_account(account) ? "the account " + in_quotes(account) : "an invalid account name";
}

std::string explain_key(const AuthenticationAttempt& attempt, const std::vector<std::string>& keys) {
  const auto& [request, target, secure, times, tokens] = attempt;
  const auto credentials = parse_credentials(request.headers.get("Authorization"));
  if (!credentials) return explain_malformed(request.headers.get("Authorization"));
  if (!names_account(*credentials, target)) {
    return "The Authorization header names " + account_in_words(credentials->account) + ", but the URL names " +
           account_in_words(target.account) + ".";
  }
  if (!is_current(date_of(request.headers), times)) return explain_date(request.headers, times.now);
  const SignedRequest parts{request.method, request.headers.get("Content-MD5"), request.headers.get("Content-Type"),
                            date_of(request.headers), request.target};
  return explain_signature(find_key_mistake(request, target, secure, *credentials, keys), credentials->signature,
                           credentials->lite ? shared_key_lite_string_to_sign(target.account, parts)
                                             : shared_key_string_to_sign(target.account, parts));
}

// --- Shared access signatures ----------------------------------------------------------------------------

// Explains why the SAS has no string to sign.
std::string explain_fields(const SasParameters& sas) {
  if (sas.has_repeated) return "A field of the SAS is repeated in the query.";
  if (sas.version.empty()) return "The SAS has no version (sv).";
  if (!sas.is_account_sas() && sas.table.empty())
    return "The SAS has neither services and resource types (ss, srt: account SAS) nor a table (tn: table "
           "SAS).";
  const std::string kind = sas.is_account_sas() ? "An account SAS needs version 2015-04-05 or later"
                                                : "A table SAS needs version 2012-02-12 or later";
  return "The fields of the SAS are malformed. " + kind + "; its version (sv) is " + in_quotes(sas.version) +
         ". No value may contain a line break.";
}

std::string time_or_none(const std::string& text) { return text.empty() ? "none" : in_quotes(text); }

std::string explain_time(const SasParameters& sas, DateTime now) {
  const auto start = parse_access_time(sas.start), expiry = parse_access_time(sas.expiry);
  std::string what = "is not valid yet";
  if (expiry && now > *expiry) what = "is expired";
  if (!sas.start.empty() && !start) what = "has an invalid start (st); a fraction needs seven digits";
  if (!expiry)
    what = sas.expiry.empty() ? "has no expiry (se)" : "has an invalid expiry (se); a fraction needs seven digits";
  return "The SAS " + what + ": start " + time_or_none(sas.start) + ", expiry " + time_or_none(sas.expiry) + ", now '" +
         to_string(now) + "'.";
}

// Explains why the SAS and its stored access policy do not fit together.
std::string explain_policy(const SasParameters& sas, const std::vector<SignedIdentifier>& identifiers) {
  const auto policy = std::find_if(identifiers.begin(), identifiers.end(),
                                   [&](const SignedIdentifier& i) { return i.id == sas.identifier; });
  if (policy == identifiers.end()) {
    return "The table " + in_quotes(sas.table) + " has no stored access policy " + in_quotes(sas.identifier) +
           " (si); it has " + std::to_string(identifiers.size()) + " others.";
  }
  std::string both;
  if (!sas.start.empty() && policy->start) both += " st";
  if (!sas.expiry.empty() && policy->expiry) both += " se";
  if (!sas.permissions.empty() && !policy->permissions.empty()) both += " sp";
  return "A field may be set in the SAS or in its stored access policy " + in_quotes(sas.identifier) +
         ", but not in both:" + both + ".";
}

std::string explain_missing(const SasParameters& sas) {
  const auto is_wrong = [&](std::string_view known, const std::string& letters) {
    return sas.is_account_sas() && !letters.empty() && !has_letters_of(known, letters);
  };
  if (is_wrong("bqtf", sas.services))
    return "The services of the SAS (ss) are " + in_quotes(sas.services) + "; they must be letters of 'bqtf'.";
  if (is_wrong("sco", sas.resource_types))
    return "The resource types of the SAS (srt) are " + in_quotes(sas.resource_types) +
           "; they must be letters of 'sco'.";
  std::string missing;
  if (sas.permissions.empty()) missing += " permissions (sp)";
  if (sas.is_account_sas() && sas.services.empty()) missing += " services (ss)";
  if (sas.is_account_sas() && sas.resource_types.empty()) missing += " resource types (srt)";
  return "The SAS lacks a mandatory field, and so does its stored access policy if it has one:" + missing + ".";
}

constexpr const char* kIncompleteBounds =
    "The SAS bounds row keys without partition keys: srk needs spk, erk needs epk.";

// Repeats the steps of Authenticator::check_account_signature(). Returns nullopt if none fails.
std::optional<std::string> explain_account_signature(const AuthenticationAttempt& attempt,
                                                     const std::vector<std::string>& keys, SasParameters sas,
                                                     const FindIdentifiers& find_identifiers) {
  const auto& [request, target, secure, times, tokens] = attempt;
  const auto text = sas_string_to_sign(sas, target.account);
  if (!text) return explain_fields(sas);
  if (!is_signed(*text, sas.signature, keys))
    return explain_signature(find_sas_mistake(sas, target, keys), sas.signature, *text);
  if (!has_complete_bounds(sas)) return kIncompleteBounds;

  if (!sas.is_account_sas() && !sas.identifier.empty()) {
    const auto identifiers = find_identifiers(target.account, sas.table);
    const auto policy = std::find_if(identifiers.begin(), identifiers.end(),
                                     [&](const SignedIdentifier& i) { return i.id == sas.identifier; });
    SasParameters merged = sas;
    if (policy == identifiers.end() || !apply_policy(*policy, merged)) return explain_policy(sas, identifiers);
    sas = merged;
  }
  if (!is_complete(sas)) return explain_missing(sas);
  if (!is_within_validity(sas, times.now)) return explain_time(sas, times.now);
  return std::nullopt;
}

// Repeats the steps of Authenticator::check_delegation_sas(). Returns nullopt if none fails.
std::optional<std::string> explain_delegation(const AuthenticationAttempt& attempt,
                                              const std::vector<std::string>& keys, const SasParameters& sas,
                                              const Authenticator& authenticator) {
  const auto& [request, target, secure, times, tokens] = attempt;
  if (const auto ok = check_delegation_form(sas); !ok) return ok.error().message;
  if (const auto ok = check_delegation_signature(sas, target.account, tokens.delegation.get()); !ok) {
    if (!ok.error().message.empty()) return ok.error().message;
    const auto mistake = find_delegation_mistake(sas, target.account, *tokens.delegation, keys);
    return explain_signature(mistake, sas.signature, sas_string_to_sign(sas, target.account).value()) +
           (mistake ? "" : " Or its key is not of this instance: compare skoid, sktid, skt, ske, sks and skv with it.");
  }
  if (!has_complete_bounds(sas)) return kIncompleteBounds;
  if (const auto ok = check_key_interval(sas, times.now); !ok) return ok.error().message;
  if (!is_within_validity(sas, times.now)) return explain_time(sas, times.now);
  if (const auto ok = check_only_user(sas, authenticator.token_of(request, target, secure, times.now)); !ok)
    return ok.error().message;
  return std::nullopt;
}

std::string explain_sas(const AuthenticationAttempt& attempt, const std::vector<std::string>& keys,
                        const Authenticator& authenticator) {
  const auto& [request, target, secure, times, tokens] = attempt;
  const auto sas = parse_sas(target.query);
  if (!sas) return explain_code(ErrorCode::NoAuthenticationInformation);
  const auto why = sas->is_delegation_sas()
                       ? explain_delegation(attempt, keys, *sas, authenticator)
                       : explain_account_signature(attempt, keys, *sas, authenticator.find_identifiers());
  if (why) return *why;
  if (!is_allowed_ip(sas->ip, request.remote_address)) {
    return "The SAS is for the address or range " + in_quotes(sas->ip) + " (sip), but the client's address is " +
           in_quotes(request.remote_address) + ".";
  }
  if (!sas->protocol.empty() && sas->protocol != "https,http" && sas->protocol != "http,https") {
    return "The SAS is for the protocols " + in_quotes(sas->protocol) +
           " (spr), which may be 'https' or 'https,http'. The request came over " + (secure ? "HTTPS." : "HTTP.");
  }
  return "The account SAS is for the services " + in_quotes(sas->services) + " (ss), but tables need 't'.";
}

// --- Access required by operations -----------------------------------------------------------------------

std::string letters(std::string_view all, const char* between) {
  std::string out;
  for (const char letter : all) out.append(out.empty() ? "" : between).append(1, letter);
  return out;
}

std::string explain_permission(const Caller& caller, const RequiredAccess& access, const std::string& name) {
  if (access.any_of.empty() && access.all_of.empty())
    return name + " needs the account's key: no SAS grants access policies.";
  return name + " needs the permission " + letters(access.any_of, " or ") + letters(access.all_of, " and ") +
         "; the SAS has " + in_quotes(caller.permissions) + " (sp).";
}

// `UpdateEntity` instead of `WriteEntity`.
std::string_view name_of(const Operation& operation) {
  if (const auto* write = std::get_if<WriteEntity>(&operation)) return name_of_write(write->kind, write->condition);
  return row_of(operation).name;
}

// Requires roles.
std::string explain_roles(const Caller& caller, const Operation& operation, std::string_view table,
                          const std::string& name) {
  const std::string whose = caller.kind == Caller::Kind::Bearer ? "" : "The roles of the key's owner count now: ";
  return whose + caller.identity->grants->explain(name, *required_actions(operation), table);
}

// Throws ServiceException.
[[noreturn]] void refuse_operation(const RequestContext& context, const Operation& operation, std::string_view table,
                                   const Error& error) {
  throw ServiceException(
      error, context.explains ? explain_authorization(context.caller, operation, table, error) : std::string());
}

// Removes the U+0000 that key_range_of() appends to an inclusive upper bound.
std::string without_end(std::string key) {
  if (key.ends_with('\0')) key.pop_back();
  return key;
}

std::string range_in_words(const KeyRange& range) {
  std::string out = "from spk " + in_quotes(range.begin.partition_key);
  if (!range.begin.row_key.empty()) out += ", srk " + in_quotes(range.begin.row_key);
  if (!range.end) return out + " to the end";
  out += " to epk " + in_quotes(without_end(range.end->partition_key));
  if (!range.end->row_key.empty()) out += ", erk " + in_quotes(without_end(range.end->row_key));
  return out;
}

}  // namespace

std::string explain_authentication(const Authenticator& authenticator, const Request& request, const Target& target,
                                   bool secure, AccessTimes times, const Error& error) {
  const auto* const keys = authenticator.accounts().keys_of(target.account);
  if (keys == nullptr) return explain_unknown_account(target.account);
  const AuthenticationAttempt attempt{request, target, secure, times, authenticator.tokens()};
  const auto authorization = request.headers.get("Authorization");
  if (authorization.empty() || error.code == ErrorCode::NoAuthenticationInformation)
    return one_line(explain_sas(attempt, *keys, authenticator));
  if (const auto token = bearer_token_of(authorization)) {
    const auto sas = parse_sas(target.query);
    if (sas && sas->is_delegation_sas() && !sas->user_object_id.empty())
      return one_line(explain_sas(attempt, *keys, authenticator));
    return one_line(explain_token(attempt, *token));
  }
  return one_line(explain_key(attempt, *keys));
}

std::string explain_unknown_account(std::string_view account) {
  return one_line((could_be_account(account) ? "There is no account " + in_quotes(account)
                                             : "The URL has an invalid account name") +
                  "; in path style the account is the first segment of the path, in host style the host name "
                  "up to its first dot.");
}

std::string explain_key_out_of_range(const Caller& caller, const EntityKey& key) {
  return one_line("The entity (PartitionKey " + in_quotes(key.partition_key) + ", RowKey " + in_quotes(key.row_key) +
                  ") is outside of the range of the SAS" +
                  (caller.keys ? ", which is " + range_in_words(*caller.keys) : "") + ".");
}

std::string explain_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::NoAuthenticationInformation:
      return "The request has no credentials: neither an Authorization header nor sig in its query.";
    case ErrorCode::InvalidAuthenticationInfo:
      return "The request has two Authorization headers.";
    case ErrorCode::CorsPreflightFailure:
      return "No CORS rule of the account allows this origin, method and headers.";
    case ErrorCode::InsufficientAccountPermissions:
      return "The secondary location (-secondary) is read-only.";
    case ErrorCode::AuthenticationFailed:
      return "Authentication scheme Bearer is not supported in this version: x-ms-version must be 2017-11-09 "
             "or later.";
    default:
      return {};
  }
}

std::string explain_authorization(const Caller& caller, const Operation& operation, std::string_view table,
                                  const Error& error) {
  const std::string name(name_of(operation));
  if (std::holds_alternative<GetUserDelegationKey>(operation) && error.code == ErrorCode::AuthenticationFailed)
    return "Only authentication scheme Bearer is supported: a user delegation key is for the owner of a token.";
  if (caller.kind == Caller::Kind::Bearer && error.code == ErrorCode::ResourceNotFound)
    return one_line(name +
                    " needs the account's key, or x-ms-version 2025-07-05 or later: before, a bearer token does not "
                    "give access to access policies.");
  if (!roles_permit(caller, operation, table) &&
      (caller.kind == Caller::Kind::Bearer || authorize(caller, *required_access(operation))))
    return one_line(explain_roles(caller, operation, table, name));
  const auto access = required_access(operation);
  if (access && error.code == ErrorCode::AuthorizationResourceTypeMismatch) {
    return one_line(name + " needs the resource type " + std::string(1, access->resource_type) + "; the SAS has " +
                    in_quotes(caller.resource_types) + " (srt).");
  }
  if (access && access->resource_type != 'o' && caller.kind == Caller::Kind::DelegationSas)
    return one_line("A user delegation SAS grants only the entities of its table " + in_quotes(caller.table) +
                    ", not " + name + ".");
  if (access && error.code == ErrorCode::AuthorizationPermissionMismatch)
    return one_line(explain_permission(caller, *access, name));
  if (access && access->resource_type != 'o')
    return one_line("A table SAS grants only the entities of its table " + in_quotes(caller.table) + ", not " + name +
                    ".");
  if (!table.empty() && !equals_ignoring_case(table, caller.table))
    return one_line("The SAS is for the table " + in_quotes(caller.table) + " (tn), but the request is for " +
                    in_quotes(table) + ".");
  if (const auto* get = std::get_if<GetEntity>(&operation)) return explain_key_out_of_range(caller, get->key);
  if (const auto* write = std::get_if<WriteEntity>(&operation)) return explain_key_out_of_range(caller, write->key);
  return {};
}

void require_access(const RequestContext& context, const Operation& operation) {
  const auto allowed = authorize(context.caller, operation, context.version);
  if (!allowed) refuse_operation(context, operation, table_of(operation), allowed.error());
}

void require_roles(const RequestContext& context, const Operation& operation, std::string_view table) {
  if (!roles_permit(context.caller, operation, table))
    refuse_operation(context, operation, table, ErrorCode::AuthorizationPermissionMismatch);
}

}  // namespace rocktable
