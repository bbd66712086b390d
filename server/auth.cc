#include "server/auth.h"

#include <cstdlib>
#include <optional>
#include <unordered_map>

#include "odata/text.h"
#include "server/protocol/sas.h"
#include "server/protocol/shared_key.h"

namespace rocktable {
namespace {

constexpr std::int64_t kMaxSkewTicks = 15 * 60 * kTicksPerSecond;

// Keys are set up once a thread, for an HMAC with a key that is ready costs a quarter.
const AccountKey& key_of_this_thread(const std::string& base64) {
  thread_local std::unordered_map<std::string, AccountKey> keys;
  auto found = keys.find(base64);
  if (found == keys.end()) found = keys.emplace(base64, AccountKey(base64)).first;
  return found->second;
}

std::string_view date_of(const Headers& headers) {
  const auto date = headers.get("x-ms-date");
  return date.empty() ? headers.get("Date") : date;
}

bool is_current(std::string_view date, DateTime now) {
  const auto time = parse_http_date(date);
  return time && std::abs(time->ticks - now.ticks) <= kMaxSkewTicks;
}

std::string with_literal_quotes(std::string_view target) {
  std::string out;
  for (std::size_t i = 0; i < target.size(); ++i) {
    const bool quote = target.substr(i, 3) == "%27";
    out += quote ? '\'' : target[i];
    if (quote) i += 2;
  }
  return out;
}

// The targets that clients sign: the one they sent; the same with literal quotes; in path style, that of the primary
// location in place of the secondary's.
std::vector<std::string> signed_targets(const Request& request, const Target& target) {
  std::vector<std::string> out{std::string(request.target)};
  if (request.target.find("%27") != std::string_view::npos) out.push_back(with_literal_quotes(request.target));
  const std::string secondary = "/" + target.account + "-secondary";
  if (target.secondary && request.target.starts_with(secondary))
    out.push_back("/" + target.account + std::string(request.target.substr(secondary.size())));
  return out;
}

struct Credentials {
  bool lite;
  std::string_view account;
  std::string_view signature;
};

// `SharedKey account:signature`.
Result<Credentials> parse_credentials(std::string_view authorization) {
  const auto space = authorization.find(' ');
  const auto scheme = authorization.substr(0, space);
  if (equals_ignoring_case(scheme, "Bearer")) return Error(ErrorCode::NotImplemented);
  const bool lite = equals_ignoring_case(scheme, "SharedKeyLite");
  if (!lite && !equals_ignoring_case(scheme, "SharedKey")) return Error(ErrorCode::InvalidAuthenticationInfo);
  const auto rest = space == authorization.npos ? std::string_view() : trim(authorization.substr(space));
  const auto colon = rest.find(':');
  if (colon == rest.npos) return Error(ErrorCode::InvalidAuthenticationInfo);
  return Credentials{lite, rest.substr(0, colon), rest.substr(colon + 1)};
}

bool signature_fits(const Credentials& credentials, const std::vector<std::string>& keys, const Request& request,
                    const Target& target) {
  const auto date = date_of(request.headers);
  for (const auto& sent : signed_targets(request, target)) {
    const SignedRequest parts{request.method, request.headers.get("Content-MD5"),
                              request.headers.get("Content-Type"), date, sent};
    const std::string text = credentials.lite ? shared_key_lite_string_to_sign(target.account, parts)
                                              : shared_key_string_to_sign(target.account, parts);
    for (const auto& key : keys)
      if (equal_in_constant_time(key_of_this_thread(key).sign(text), credentials.signature)) return true;
  }
  return false;
}

}  // namespace

Result<void> Authenticator::authenticate(const Request& request, const Target& target, DateTime now) const {
  const auto account = accounts_.find(target.account);
  if (account == accounts_.end()) return Error(ErrorCode::ResourceNotFound);
  const auto authorization = request.headers.get("Authorization");
  if (authorization.empty())
    return Error(parse_sas(target.query) ? ErrorCode::NotImplemented : ErrorCode::NoAuthenticationInformation);

  const auto credentials = parse_credentials(authorization);
  if (!credentials) return credentials.error();
  const std::string secondary = target.account + "-secondary";
  const bool same_account = credentials->account == target.account || credentials->account == secondary;
  if (!same_account || !is_current(date_of(request.headers), now) ||
      !signature_fits(*credentials, account->second, request, target))
    return Error(ErrorCode::AuthenticationFailed);
  return {};
}

}  // namespace rocktable
