// Authentication by Authorization header: Shared Key, Shared Key Lite, bearer tokens.
#include <doctest/doctest.h>

#include <string>

#include "base/base64.h"
#include "odata/protocol/development_account.h"
#include "tests/unit/server/access/requests.h"

namespace rocktable::TEST_FILE {
namespace {

// --- Shared Key --------------------------------------------------------------------------------------------

std::string shared_key(std::string_view text, std::string_view key = kDevelopmentKey) {
  return "SharedKey devstoreaccount1:" + sign(text, key);
}

std::string lite(std::string_view text, std::string_view key = kDevelopmentKey) {
  return "SharedKeyLite devstoreaccount1:" + sign(text, key);
}

std::string date_and(std::string_view resource) { return kDate + "\n" + std::string(resource); }

std::string lite_outcome(std::string_view target, std::string_view signed_resource,
                         std::string_view host = "127.0.0.1:10002") {
  const std::string authorization = lite(date_and(signed_resource));
  return outcome({.target = std::string(target),
                  .host = std::string(host),
                  .fields = {{"x-ms-date", kDate}, {"Authorization", authorization}}});
}

// A resource without account is signed by the account that the header names, with any of its keys.
TEST_CASE("A request for no account is signed by the account that it names") {
  const std::string target = "/_rocktable/stats?x=1", text = date_and("/devstoreaccount1/_rocktable/stats");
  const auto is_signed = [&](const std::string& authorization, std::string_view date = kDate, DateTime now = kNow) {
    const std::string no_body;
    Request request{"GET", target, {}, &no_body, "127.0.0.1"};
    request.headers.add("Authorization", authorization);
    request.headers.add("x-ms-date", date);
    return authenticator().is_signed_by_account(request, now, false);
  };
  const std::string get = "GET\n\n\n";
  CHECK(is_signed(shared_key(get + text)));
  CHECK(is_signed(shared_key(get + text, kSecondKey)));
  CHECK_FALSE(is_signed(lite(text)));  // it signs no method
  CHECK_FALSE(is_signed(shared_key(get + text, "b3RoZXI=")));
  CHECK_FALSE(is_signed(shared_key("POST\n\n\n" + text)));
  CHECK_FALSE(is_signed(shared_key(get + date_and("/devstoreaccount1/_rocktable/reset"))));
  CHECK_FALSE(is_signed(shared_key(get + text), kDate, seconds_later(16 * 60)));
  CHECK_FALSE(is_signed(shared_key(get + text), ""));
  for (const std::string scheme : {"SharedKey nobody:", "SharedKey other:", "SharedKey :", "Bearer ", ""})
    CHECK_FALSE(is_signed(scheme + sign(get + text)));
}

// A request and its signature from the log of a client.
TEST_CASE("Shared Key Lite as a client of the service signs it") {
  CHECK(outcome({.method = "POST",
                 .target = "/devstoreaccount1/$batch",
                 .fields = {{"Date", kDate},
                            {"Authorization",
                             "SharedKeyLite devstoreaccount1:y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4="}}}) ==
        "Owner");
}

TEST_CASE("Shared Key signs the verb on the wire, Content-MD5, Content-Type and date") {
  const std::string text = "POST\nbWQ1\napplication/json\n" + date_and("/devstoreaccount1/devstoreaccount1/Tables");
  const std::string authorization = shared_key(text);
  const Fields fields = {{"Authorization", authorization},
                         {"Content-MD5", "bWQ1"},
                         {"Content-Type", "application/json"},
                         {"x-ms-date", kDate},
                         {"X-HTTP-Method", "MERGE"}};
  const Sent sent{.method = "POST", .target = "/devstoreaccount1/Tables?$format=x", .fields = fields};
  CHECK(outcome(sent) == "Owner");

  Sent other = sent;
  other.method = "PUT";
  CHECK(outcome(other) == "AuthenticationFailed");
  other = sent;
  other.target = "/devstoreaccount1/tables";
  CHECK(outcome(other) == "AuthenticationFailed");
  other = sent;
  other.target += "&comp=acl";
  CHECK(outcome(other) == "AuthenticationFailed");
  other.target = "/devstoreaccount1/Tables?%63omp=acl";  // routed by comp, so signed with it
  CHECK(outcome(other) == "AuthenticationFailed");
  for (std::size_t i = 1; i <= 2; ++i) {
    other = sent;
    other.fields[i].second = "changed";
    CHECK(outcome(other) == "AuthenticationFailed");
  }
}

TEST_CASE("Each key of the account may sign, keys of other accounts may not") {
  const std::string text = date_and("/devstoreaccount1/devstoreaccount1/t");
  const auto with = [&](const std::string& authorization) {
    return outcome({.target = "/devstoreaccount1/t", .fields = {{"Date", kDate}, {"Authorization", authorization}}});
  };
  CHECK(with(lite(text)) == "Owner");
  CHECK(with(lite(text, kSecondKey)) == "Owner");
  CHECK(with(lite(text, "b3RoZXI=")) == "AuthenticationFailed");
  CHECK(with("SharedKeyLite other:" + sign(text)) == "AuthenticationFailed");
  CHECK(with("SharedKeyLite other:" + sign(text, "b3RoZXI=")) == "AuthenticationFailed");
  CHECK(with("SharedKeyLite devstoreaccount1:") == "AuthenticationFailed");
  CHECK(with("SharedKeyLite devstoreaccount1:x" + sign(text)) == "AuthenticationFailed");
  CHECK(with(lite(text) + "=") == "AuthenticationFailed");
  CHECK(with("SharedKey devstoreaccount1:" + sign(text)) == "AuthenticationFailed");  // signed as Lite
}

TEST_CASE("The Authorization header has a scheme, an account and a signature") {
  const std::string signature = sign(date_and("/devstoreaccount1/devstoreaccount1/t"));
  const auto with = [&](const std::string& authorization) {
    return outcome({.target = "/devstoreaccount1/t", .fields = {{"Date", kDate}, {"Authorization", authorization}}});
  };
  CHECK(with("sharedkeylite  devstoreaccount1:" + signature) == "Owner");
  for (const char* authorization :
       {"SharedKeyLite", "SharedKey ", "SharedKey x", "Basic dTpw", "devstoreaccount1:x", ":"})
    CHECK(with(authorization) == "InvalidAuthenticationInfo");
}

TEST_CASE("The account of the URL must exist") {
  CHECK(outcome({.target = "/nobody/t", .fields = {{"Authorization", "SharedKey nobody:x"}}}) == "ResourceNotFound");
  CHECK(outcome({.target = "/DevStoreAccount1/t"}) == "ResourceNotFound");
  CHECK(authenticator().require_account("other").has_value());
  CHECK(authenticator().require_account("nobody").error() == Error(ErrorCode::ResourceNotFound));
}

TEST_CASE("A request without credentials is refused") {
  CHECK(outcome({.target = "/devstoreaccount1/t"}) == "NoAuthenticationInformation");
  CHECK(outcome({.target = "/devstoreaccount1/t?sv=2019-02-02&tn=t"}) == "NoAuthenticationInformation");
  CHECK(outcome({.target = "/devstoreaccount1/t", .fields = {{"Authorization", ""}}}) == "NoAuthenticationInformation");
}

TEST_CASE("The date is at most 15 minutes off; x-ms-date precedes Date, and must be signed") {
  const std::string text = date_and("/devstoreaccount1/devstoreaccount1/t");
  const std::string authorization = lite(text);
  const auto at = [&](DateTime now, const Fields& dates) {
    Sent sent{.target = "/devstoreaccount1/t", .fields = dates, .now = now};
    sent.fields.emplace_back("Authorization", authorization);
    return outcome(sent);
  };
  for (const std::int64_t minutes : {-15, 0, 15}) CHECK(at(seconds_later(minutes * 60), {{"Date", kDate}}) == "Owner");
  for (const std::int64_t sign : {-1, 1}) {
    CHECK(at(DateTime{seconds_later(sign * 900).ticks + sign}, {{"Date", kDate}}) == "AuthenticationFailed");
    CHECK(at(seconds_later(sign * 86400 * 365), {{"Date", kDate}}) == "AuthenticationFailed");
  }
  CHECK(at(kNow, {{"x-ms-date", kDate}, {"Date", "Sat, 22 May 2021 23:05:15 GMT"}}) == "Owner");
  CHECK(at(kNow, {{"x-ms-date", "Sat, 22 May 2021 23:05:15 GMT"}, {"Date", kDate}}) == "AuthenticationFailed");
  CHECK(at(kNow, {{"x-ms-date", ""}, {"Date", kDate}}) == "Owner");
  CHECK(at(kNow, {}) == "AuthenticationFailed");
  // Correctly signed, but not a valid date.
  for (const std::string date : {"", "today", "2021-05-22T23:05:14Z"}) {
    const std::string signed_so = lite(date + "\n/devstoreaccount1/devstoreaccount1/t");
    CHECK(outcome({.target = "/devstoreaccount1/t", .fields = {{"x-ms-date", date}, {"Authorization", signed_so}}}) ==
          "AuthenticationFailed");
  }
}

// A thread remembers the last date and prepared keys.
TEST_CASE("Each date is read, also between equal ones") {
  const std::string later_date = "Sat, 22 May 2021 23:05:15 GMT";
  const auto at = [](DateTime now, const std::string& date) {
    const std::string authorization = lite(date + "\n/devstoreaccount1/devstoreaccount1/t");
    return outcome({.target = "/devstoreaccount1/t",
                    .fields = {{"x-ms-date", date}, {"Authorization", authorization}},
                    .now = now});
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(at(seconds_later(900), kDate) == "Owner");
    CHECK(at(seconds_later(901), kDate) == "AuthenticationFailed");
    CHECK(at(seconds_later(901), later_date) == "Owner");
    CHECK(at(seconds_later(901), "Sat, 22 May 2021 23:05:15 GMX") == "AuthenticationFailed");
    CHECK(at(seconds_later(901), later_date) == "Owner");
    CHECK(at(kNow, "") == "AuthenticationFailed");
  }
}

TEST_CASE("Each account signs with its own keys, and after a rotation only with the new ones") {
  Accounts accounts{{"one", {"a2V5IG9uZQ=="}}, {"two", {"a2V5IHR3bw=="}}};
  const Authenticator authenticator(accounts, policies_of);
  const auto is_accepted = [&](const std::string& account, std::string_view key) {
    const std::string target = "/" + account + "/t";
    const std::string signature = sign(date_and("/" + account + target), key);
    const Sent sent{.target = target,
                    .fields = {{"x-ms-date", kDate}, {"Authorization", "SharedKeyLite " + account + ":" + signature}}};
    const Received received(sent);
    return authenticator.authenticate(received.request, received.target, false, kNow).has_value();
  };
  for (int i = 0; i < 2; ++i) {
    CHECK(is_accepted("one", "a2V5IG9uZQ=="));
    CHECK_FALSE(is_accepted("one", "a2V5IHR3bw=="));
    CHECK(is_accepted("two", "a2V5IHR3bw=="));
    CHECK_FALSE(is_accepted("two", "a2V5IG9uZQ=="));
  }
  accounts.replace({{"one", {"bmV3IGtleQ=="}}, {"two", {"a2V5IG9uZQ=="}}});
  CHECK_FALSE(is_accepted("one", "a2V5IG9uZQ=="));
  CHECK(is_accepted("one", "bmV3IGtleQ=="));
  CHECK_FALSE(is_accepted("two", "a2V5IHR3bw=="));
  CHECK(is_accepted("two", "a2V5IG9uZQ=="));
}

TEST_CASE("In path style the account is signed twice, in host style once") {
  CHECK(lite_outcome("/devstoreaccount1", "/devstoreaccount1/devstoreaccount1") == "Owner");
  CHECK(lite_outcome("/devstoreaccount1/t", "/devstoreaccount1/devstoreaccount1/t") == "Owner");
  CHECK(lite_outcome("/devstoreaccount1/t", "/devstoreaccount1/t") == "AuthenticationFailed");
  CHECK(lite_outcome("/t", "/devstoreaccount1/t", "devstoreaccount1.table.localhost") == "Owner");
  CHECK(lite_outcome("/t", "/devstoreaccount1/t", "DevStoreAccount1.Table.Localhost") == "Owner");
  CHECK(lite_outcome("/devstoreaccount1/?restype=service&comp=properties",
                     "/devstoreaccount1/devstoreaccount1/?comp=properties") == "Owner");
}

TEST_CASE("Quotes may be signed as %27 or literally, whichever the URL has") {
  const std::string_view sent = "/devstoreaccount1/t(PartitionKey=%27a%20b%27,RowKey=%27%27)";
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey=%27a%20b%27,RowKey=%27%27)") == "Owner");
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey='a%20b',RowKey='')") == "Owner");
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey='a b',RowKey='')") ==
        "AuthenticationFailed");
  CHECK(lite_outcome("/devstoreaccount1/t('%2')", "/devstoreaccount1/devstoreaccount1/t('%2')") == "Owner");
}

TEST_CASE("At the secondary location the path may be signed with -secondary or without") {
  const std::string_view sent = "/devstoreaccount1-secondary/Tables(%27t%27)";
  for (const std::string_view resource :
       {"/devstoreaccount1/devstoreaccount1-secondary/Tables(%27t%27)",
        "/devstoreaccount1/devstoreaccount1/Tables(%27t%27)",
        "/devstoreaccount1/devstoreaccount1-secondary/Tables('t')", "/devstoreaccount1/devstoreaccount1/Tables('t')"}) {
    CAPTURE(resource);
    CHECK(lite_outcome(sent, resource) == "Owner");
  }
  CHECK(lite_outcome("/devstoreaccount1-secondary?restype=service&comp=stats",
                     "/devstoreaccount1/devstoreaccount1?comp=stats") == "Owner");
  CHECK(lite_outcome("/t", "/devstoreaccount1/t", "devstoreaccount1-secondary.table.localhost") == "Owner");
  CHECK(lite_outcome("/devstoreaccount1-secondary/devstoreaccount1/t", "/devstoreaccount1/devstoreaccount1/t") ==
        "Owner");
  // The signature of the secondary location does not fit the URL of the primary one.
  CHECK(lite_outcome("/devstoreaccount1/t", "/devstoreaccount1/devstoreaccount1-secondary/t") ==
        "AuthenticationFailed");
  const std::string authorization =
      "SharedKeyLite devstoreaccount1-secondary:" + sign(date_and("/devstoreaccount1/devstoreaccount1-secondary/t"));
  CHECK(outcome({.target = "/devstoreaccount1-secondary/t",
                 .fields = {{"Date", kDate}, {"Authorization", authorization}}}) == "Owner");
}

// --- Bearer tokens ---------------------------------------------------------------------------------------

// `seconds`: lifetime from now on.
std::string bearer(std::string_view audience = "https://storage.azure.com", int seconds = 60) {
  const std::int64_t now = (kNow.ticks - kUnixEpoch.ticks) / kTicksPerSecond;
  const std::string payload = R"({"iss":"https://sts.windows.net/t/","aud":")" + std::string(audience) +
                              R"(","nbf":0,"iat":0,"exp":)" + std::to_string(now + seconds) + "}";
  return "Bearer " + encode_base64("{}") + "." + encode_base64(payload) + ".";
}

std::string bearer_outcome(const std::string& authorization, bool secure) {
  return outcome({.target = "/devstoreaccount1/t", .fields = {{"Authorization", authorization}}, .secure = secure});
}

TEST_CASE("A bearer token is accepted over HTTPS; it needs no date") {
  CHECK(bearer_outcome(bearer(), true) == "Bearer");
  CHECK(bearer_outcome("bearer" + bearer().substr(6), true) == "Bearer");
  CHECK(bearer_outcome(bearer("https://devstoreaccount1.table.core.windows.net"), true) == "Bearer");
  CHECK(bearer_outcome(bearer(), false) == "AuthenticationFailed");
  for (const char* authorization : {"Bearer", "Bearer ", "Bearer x", "Bearer devstoreaccount1:x"})
    CHECK(bearer_outcome(authorization, true) == "AuthenticationFailed");
  CHECK(bearer_outcome("Bearerx " + bearer().substr(7), true) == "InvalidAuthenticationInfo");
  CHECK(outcome({.target = "/nobody/t", .fields = {{"Authorization", "Bearer x"}}, .secure = true}) ==
        "ResourceNotFound");
}

TEST_CASE("A bearer token whose claims do not fit is answered with the challenge's error") {
  CHECK(bearer_outcome(bearer("https://storage.azure.com", -1), true) == "InvalidBearerToken");
  CHECK(bearer_outcome(bearer("https://other.table.core.windows.net"), true) == "InvalidBearerToken");
}

TEST_CASE("Bearer tokens are refused unless enabled") {
  const Authenticator plain({{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}}, policies_of);
  const Sent sent{.target = "/devstoreaccount1/t", .fields = {{"Authorization", bearer()}}, .secure = true};
  const Received received(sent);
  CHECK(plain.authenticate(received.request, received.target, true, kNow).error() ==
        Error(ErrorCode::AuthenticationFailed));
}

TEST_CASE("A check of signatures sees the token and its claims, and decides beside the claims") {
  std::string seen;
  const TokenRules rules{.accepted = true, .check_signature = [&](std::string_view token, const BearerClaims& claims) {
                           seen = std::string(token) + " of " + claims.issuer;
                           return token.ends_with(".") ? Result<void>() : Error(ErrorCode::InvalidBearerToken);
                         }};
  const Authenticator checking({{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}}, policies_of,
                               rules);
  const auto outcome_with = [&](const std::string& authorization) {
    const Sent sent{.target = "/devstoreaccount1/t", .fields = {{"Authorization", authorization}}, .secure = true};
    const Received received(sent);
    return outcome_of(checking.authenticate(received.request, received.target, true, kNow));
  };
  CHECK(outcome_with(bearer()) == "Bearer");
  CHECK(seen == bearer().substr(7) + " of https://sts.windows.net/t/");
  CHECK(outcome_with(bearer() + "AAAA") == "InvalidBearerToken");
  CHECK(outcome_with("Bearer x") == "AuthenticationFailed");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
