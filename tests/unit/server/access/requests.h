// Requests to the development account at one fixed time, and the callers that the authenticator returns for
// them. The tests spell out the strings to sign, so that they do not repeat the code under test.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/date_time.h"
#include "base/text.h"
#include "odata/protocol/development_account.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authenticator.h"

namespace rocktable {

inline const std::string kSecondKey = "c2Vjb25kIGtleSBvZiB0aGUgYWNjb3VudA==";
inline const std::string kDate = "Sat, 22 May 2021 23:05:14 GMT";
inline const DateTime kNow = parse_http_date(kDate).value();

inline DateTime seconds_later(std::int64_t seconds) { return {kNow.ticks + seconds * kTicksPerSecond}; }

inline std::string sign(std::string_view text, std::string_view key = kDevelopmentKey) {
  return AccountKey(key).sign(text);
}

// --- Requests ----------------------------------------------------------------------------------------------

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Sent {
  std::string method = "GET", target = "", host = "127.0.0.1:10002";
  Fields fields = {};
  std::string remote = "127.0.0.1";
  bool secure = false;
  DateTime now = kNow;
};

// The server's view of a request. The request must outlive it.
struct Received {
  explicit Received(const Sent& sent)
      : request{sent.method, sent.target, {}, &kNoBody, sent.remote},
        target(parse_target(sent.target, sent.host, sent.secure, true).value()) {
    for (const auto& [name, value] : sent.fields) request.headers.add(name, value);
    request.headers.add("Host", sent.host);
  }

  static inline const std::string kNoBody;
  Request request;
  Target target;
};

// --- Results -----------------------------------------------------------------------------------------------

// The stored access policies of the only table that has some.
inline std::vector<SignedIdentifier> policies_of(std::string_view account, std::string_view table) {
  if (account != kDevelopmentAccount || to_lower_ascii(table) != "mytable") return {};
  return {{"all", seconds_later(-60), seconds_later(60), "raud"}, {"late", seconds_later(60), seconds_later(600), "r"},
          {"over", std::nullopt, seconds_later(-60), "r"},        {"rights", std::nullopt, std::nullopt, "ra"},
          {"times", seconds_later(-60), seconds_later(60), ""},   {"null", std::nullopt, std::nullopt, ""}};
}

inline const Authenticator& authenticator() {
  static const Authenticator kAuthenticator(
      {{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey), kSecondKey}}, {"other", {"b3RoZXI="}}},
      policies_of, {.accepted = true});
  return kAuthenticator;
}

inline Result<Caller> authenticate(const Sent& sent) {
  const Received received(sent);
  return authenticator().authenticate(received.request, received.target, sent.secure, sent.now);
}

// `Owner`, `Bearer`, `AccountSas`, `TableSas`, `DelegationSas`, or the code of the refusal.
inline std::string outcome_of(const Result<Caller>& caller) {
  if (!caller && caller.error().code == ErrorCode::InvalidBearerToken) return "InvalidBearerToken";
  if (!caller) return std::string(to_string(caller.error().code));
  if (caller->kind == Caller::Kind::Owner) return "Owner";
  if (caller->kind == Caller::Kind::Bearer) return "Bearer";
  if (caller->kind == Caller::Kind::DelegationSas) return "DelegationSas";
  return caller->kind == Caller::Kind::AccountSas ? "AccountSas" : "TableSas";
}

inline std::string outcome(const Sent& sent) { return outcome_of(authenticate(sent)); }

}  // namespace rocktable
