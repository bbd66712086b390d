// Who calls and what a caller may do: Shared Key, Shared Key Lite, account SAS, table SAS. Strings to sign
// are written out here, so that the test is no mirror of the code.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "odata/base64.h"
#include "odata/uri.h"
#include "server/access/auth.h"
#include "server/protocol/shared_key.h"

namespace rocktable {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kAccount = "devstoreaccount1";
constexpr std::string_view kSecondKey = "c2Vjb25kIGtleSBvZiB0aGUgYWNjb3VudA==";
constexpr std::string_view kDate = "Sat, 22 May 2021 23:05:14 GMT";

const DateTime kNow = parse_http_date(kDate).value();

DateTime seconds_later(std::int64_t seconds) { return {kNow.ticks + seconds * kTicksPerSecond}; }

std::string sign(std::string_view text, std::string_view key = kDevelopmentKey) {
  return AccountKey(key).sign(text);
}

// The policies of the only table that has some.
std::vector<SignedIdentifier> find_identifiers(std::string_view account, std::string_view table) {
  if (account != kAccount || to_lower_ascii(table) != "mytable") return {};
  return {{"all", seconds_later(-60), seconds_later(60), "raud"},
          {"late", seconds_later(60), seconds_later(600), "r"},
          {"over", std::nullopt, seconds_later(-60), "r"},
          {"rights", std::nullopt, std::nullopt, "ra"},
          {"times", seconds_later(-60), seconds_later(60), ""},
          {"null", std::nullopt, std::nullopt, ""}};
}

const Authenticator& authenticator() {
  static const Authenticator one(
      {{std::string(kAccount), {std::string(kDevelopmentKey), std::string(kSecondKey)}},
       {"other", {"b3RoZXI="}}},
      find_identifiers, /*bearer_tokens=*/true);
  return one;
}

struct Sent {
  std::string_view method = "GET";
  std::string target;
  Fields fields = {};
  std::string_view remote = "127.0.0.1";
  bool secure = false;
  DateTime now = kNow;
  std::string_view host = "127.0.0.1:10002";
};

Result<Caller> authenticate(const Sent& sent) {
  const std::string no_body;
  Request request{sent.method, sent.target, {}, &no_body, sent.remote};
  for (const auto& [name, value] : sent.fields) request.headers.add(name, value);
  const Target target = parse_target(sent.target, sent.host, sent.secure, true).value();
  return authenticator().authenticate(request, target, sent.secure, sent.now);
}

// `Owner`, `Bearer`, `AccountSas`, `TableSas`, or the code of the refusal.
std::string outcome(const Sent& sent) {
  const auto caller = authenticate(sent);
  if (!caller && caller.error().code == ErrorCode::InvalidBearerToken) return "InvalidBearerToken";
  if (!caller) return std::string(to_string(caller.error().code));
  if (caller->kind == Caller::Kind::Owner) return "Owner";
  if (caller->kind == Caller::Kind::Bearer) return "Bearer";
  return caller->kind == Caller::Kind::AccountSas ? "AccountSas" : "TableSas";
}

// --- Shared Key
// ----------------------------------------------------------------------------------------------

std::string shared_key(std::string_view text, std::string_view key = kDevelopmentKey) {
  return "SharedKey devstoreaccount1:" + sign(text, key);
}

std::string lite(std::string_view text, std::string_view key = kDevelopmentKey) {
  return "SharedKeyLite devstoreaccount1:" + sign(text, key);
}

std::string date_and(std::string_view resource) { return std::string(kDate) + "\n" + std::string(resource); }

std::string lite_outcome(std::string_view target, std::string_view signed_resource,
                         std::string_view host = "127.0.0.1:10002") {
  const std::string authorization = lite(date_and(signed_resource));
  return outcome({.target = std::string(target),
                  .fields = {{"x-ms-date", kDate}, {"Authorization", authorization}},
                  .host = host});
}

// What belongs to no account is signed by the one that the header names, with any of its keys.
TEST_CASE("A request for no account is signed by the account that it names") {
  const std::string target = "/_rocktable/stats?x=1", text = date_and("/devstoreaccount1/_rocktable/stats");
  const auto is_signed = [&](const std::string& authorization, std::string_view date = kDate,
                             DateTime now = kNow) {
    const std::string no_body;
    Request request{"GET", target, {}, &no_body, "127.0.0.1"};
    request.headers.add("Authorization", authorization);
    request.headers.add("x-ms-date", date);
    return authenticator().is_signed_by_an_account(request, now, false);
  };
  CHECK(is_signed(lite(text)));
  CHECK(is_signed(lite(text, kSecondKey)));
  CHECK(is_signed(shared_key("GET\n\n\n" + text)));
  CHECK_FALSE(is_signed(lite(text, "b3RoZXI=")));
  CHECK_FALSE(is_signed(shared_key("POST\n\n\n" + text)));
  CHECK_FALSE(is_signed(lite(date_and("/devstoreaccount1/_rocktable/reset"))));
  CHECK_FALSE(is_signed(lite(text), kDate, seconds_later(16 * 60)));
  CHECK_FALSE(is_signed(lite(text), ""));
  for (const std::string scheme :
       {"SharedKeyLite nobody:", "SharedKeyLite other:", "SharedKeyLite :", "Bearer ", ""})
    CHECK_FALSE(is_signed(scheme + sign(text)));
}

// A request and its signature as a client's log shows them.
TEST_CASE("Shared Key Lite as a client of the service signs it") {
  CHECK(outcome(
            {.method = "POST",
             .target = "/devstoreaccount1/$batch",
             .fields = {{"Date", kDate},
                        {"Authorization",
                         "SharedKeyLite devstoreaccount1:y7mfjNimD4WGdW8k2saY+cB9E2vbD/VDFQTc2xrjHA4="}}}) ==
        "Owner");
}

TEST_CASE("Shared Key signs the verb on the wire, Content-MD5, Content-Type and date") {
  const std::string text =
      "POST\nbWQ1\napplication/json\n" + date_and("/devstoreaccount1/devstoreaccount1/Tables");
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

TEST_CASE("Each key of the account signs, another account's does not") {
  const std::string text = date_and("/devstoreaccount1/devstoreaccount1/t");
  const auto with = [&](const std::string& authorization) {
    return outcome(
        {.target = "/devstoreaccount1/t", .fields = {{"Date", kDate}, {"Authorization", authorization}}});
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
    return outcome(
        {.target = "/devstoreaccount1/t", .fields = {{"Date", kDate}, {"Authorization", authorization}}});
  };
  CHECK(with("sharedkeylite  devstoreaccount1:" + signature) == "Owner");
  for (const char* authorization :
       {"SharedKeyLite", "SharedKey ", "SharedKey x", "Basic dTpw", "devstoreaccount1:x", ":"})
    CHECK(with(authorization) == "InvalidAuthenticationInfo");
}

TEST_CASE("The account of the URL must exist") {
  CHECK(outcome({.target = "/nobody/t", .fields = {{"Authorization", "SharedKey nobody:x"}}}) ==
        "ResourceNotFound");
  CHECK(outcome({.target = "/DevStoreAccount1/t"}) == "ResourceNotFound");
  CHECK(authenticator().require_account("other").has_value());
  CHECK(authenticator().require_account("nobody").error() == Error(ErrorCode::ResourceNotFound));
}

TEST_CASE("Without credentials there is nothing to do") {
  CHECK(outcome({.target = "/devstoreaccount1/t"}) == "NoAuthenticationInformation");
  CHECK(outcome({.target = "/devstoreaccount1/t?sv=2019-02-02&tn=t"}) == "NoAuthenticationInformation");
  CHECK(outcome({.target = "/devstoreaccount1/t", .fields = {{"Authorization", ""}}}) ==
        "NoAuthenticationInformation");
}

TEST_CASE("The date is at most 15 minutes off; x-ms-date counts before Date, and is the one that is signed") {
  const std::string text = date_and("/devstoreaccount1/devstoreaccount1/t");
  const std::string authorization = lite(text);
  const auto at = [&](DateTime now, const Fields& dates) {
    Sent sent{.target = "/devstoreaccount1/t", .fields = dates, .now = now};
    sent.fields.emplace_back("Authorization", authorization);
    return outcome(sent);
  };
  for (const std::int64_t minutes : {-15, 0, 15})
    CHECK(at(seconds_later(minutes * 60), {{"Date", kDate}}) == "Owner");
  for (const std::int64_t sign : {-1, 1}) {
    CHECK(at(DateTime{seconds_later(sign * 900).ticks + sign}, {{"Date", kDate}}) == "AuthenticationFailed");
    CHECK(at(seconds_later(sign * 86400 * 365), {{"Date", kDate}}) == "AuthenticationFailed");
  }
  CHECK(at(kNow, {{"x-ms-date", kDate}, {"Date", "Sat, 22 May 2021 23:05:15 GMT"}}) == "Owner");
  CHECK(at(kNow, {{"x-ms-date", "Sat, 22 May 2021 23:05:15 GMT"}, {"Date", kDate}}) ==
        "AuthenticationFailed");
  CHECK(at(kNow, {{"x-ms-date", ""}, {"Date", kDate}}) == "Owner");
  CHECK(at(kNow, {}) == "AuthenticationFailed");
  // Signed as it is, but no date.
  for (const std::string date : {"", "today", "2021-05-22T23:05:14Z"}) {
    const std::string signed_so = lite(date + "\n/devstoreaccount1/devstoreaccount1/t");
    CHECK(outcome({.target = "/devstoreaccount1/t",
                   .fields = {{"x-ms-date", date}, {"Authorization", signed_so}}}) == "AuthenticationFailed");
  }
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
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey=%27a%20b%27,RowKey=%27%27)") ==
        "Owner");
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey='a%20b',RowKey='')") ==
        "Owner");
  CHECK(lite_outcome(sent, "/devstoreaccount1/devstoreaccount1/t(PartitionKey='a b',RowKey='')") ==
        "AuthenticationFailed");
  CHECK(lite_outcome("/devstoreaccount1/t('%2')", "/devstoreaccount1/devstoreaccount1/t('%2')") == "Owner");
}

TEST_CASE("At the secondary location the path may be signed with -secondary or without") {
  const std::string_view sent = "/devstoreaccount1-secondary/Tables(%27t%27)";
  for (const std::string_view resource : {"/devstoreaccount1/devstoreaccount1-secondary/Tables(%27t%27)",
                                          "/devstoreaccount1/devstoreaccount1/Tables(%27t%27)",
                                          "/devstoreaccount1/devstoreaccount1-secondary/Tables('t')",
                                          "/devstoreaccount1/devstoreaccount1/Tables('t')"}) {
    CAPTURE(resource);
    CHECK(lite_outcome(sent, resource) == "Owner");
  }
  CHECK(lite_outcome("/devstoreaccount1-secondary?restype=service&comp=stats",
                     "/devstoreaccount1/devstoreaccount1?comp=stats") == "Owner");
  CHECK(lite_outcome("/t", "/devstoreaccount1/t", "devstoreaccount1-secondary.table.localhost") == "Owner");
  CHECK(lite_outcome("/devstoreaccount1-secondary/devstoreaccount1/t",
                     "/devstoreaccount1/devstoreaccount1/t") == "Owner");
  // The primary's URL with the secondary's signature is another one.
  CHECK(lite_outcome("/devstoreaccount1/t", "/devstoreaccount1/devstoreaccount1-secondary/t") ==
        "AuthenticationFailed");
  const std::string authorization = "SharedKeyLite devstoreaccount1-secondary:" +
                                    sign(date_and("/devstoreaccount1/devstoreaccount1-secondary/t"));
  CHECK(outcome({.target = "/devstoreaccount1-secondary/t",
                 .fields = {{"Date", kDate}, {"Authorization", authorization}}}) == "Owner");
}

// --- Bearer tokens ---------------------------------------------------------------------------------------

// `seconds`: how long it counts from now on.
std::string bearer(std::string_view audience = "https://storage.azure.com", int seconds = 60) {
  const std::int64_t now = (kNow.ticks - kUnixEpoch.ticks) / kTicksPerSecond;
  const std::string payload = R"({"iss":"https://sts.windows.net/t/","aud":")" + std::string(audience) +
                              R"(","nbf":0,"iat":0,"exp":)" + std::to_string(now + seconds) + "}";
  return "Bearer " + encode_base64("{}") + "." + encode_base64(payload) + ".";
}

std::string outcome(const std::string& authorization, bool secure) {
  return outcome(
      {.target = "/devstoreaccount1/t", .fields = {{"Authorization", authorization}}, .secure = secure});
}

TEST_CASE("A bearer token is taken over HTTPS; it needs no date") {
  CHECK(outcome(bearer(), true) == "Bearer");
  CHECK(outcome("bearer" + bearer().substr(6), true) == "Bearer");
  CHECK(outcome(bearer("https://devstoreaccount1.table.core.windows.net"), true) == "Bearer");
  CHECK(outcome(bearer(), false) == "AuthenticationFailed");
  for (const char* authorization : {"Bearer", "Bearer ", "Bearer x", "Bearer devstoreaccount1:x"})
    CHECK(outcome(authorization, true) == "AuthenticationFailed");
  CHECK(outcome("Bearerx " + bearer().substr(7), true) == "InvalidAuthenticationInfo");
  CHECK(outcome({.target = "/nobody/t", .fields = {{"Authorization", "Bearer x"}}, .secure = true}) ==
        "ResourceNotFound");
}

TEST_CASE("A bearer token whose claims do not fit is answered with the challenge's error") {
  CHECK(outcome(bearer("https://storage.azure.com", -1), true) == "InvalidBearerToken");
  CHECK(outcome(bearer("https://other.table.core.windows.net"), true) == "InvalidBearerToken");
}

TEST_CASE("Bearer tokens are refused where nobody asked for them") {
  const Authenticator plain({{std::string(kAccount), {std::string(kDevelopmentKey)}}}, find_identifiers);
  const std::string authorization = bearer(), no_body;
  Request request{"GET", "/devstoreaccount1/t", {}, &no_body, "127.0.0.1"};
  request.headers.add("Authorization", authorization);
  const Target target = parse_target(request.target, "127.0.0.1", true, true).value();
  CHECK(plain.authenticate(request, target, true, kNow).error() == Error(ErrorCode::AuthenticationFailed));
}

// --- Shared access signatures
// --------------------------------------------------------------------------------

// The URL of a SAS: its query, and a signature over this text.
std::string sas_target(std::string_view query, std::string_view text,
                       std::string_view key = kDevelopmentKey) {
  return "/devstoreaccount1/MyTable?" + std::string(query) + "&sig=" + percent_encode(sign(text, key));
}

// An account SAS with parts that a test can replace.
struct AccountSas {
  std::string services = "t", resource_types = "sco", permissions = "raud", start = "", expiry = "2021-05-23",
              ip = "", protocol = "";

  Sent sent() const {
    const std::string query = "sv=2019-02-02&ss=" + services + "&srt=" + resource_types +
                              "&sp=" + permissions + "&st=" + start + "&se=" + expiry + "&sip=" + ip +
                              "&spr=" + protocol;
    const std::string text = "devstoreaccount1\n" + permissions + "\n" + services + "\n" + resource_types +
                             "\n" + start + "\n" + expiry + "\n" + ip + "\n" + protocol + "\n2019-02-02\n";
    return {.target = sas_target(query, text)};
  }
};

std::string outcome(const AccountSas& sas) { return outcome(sas.sent()); }

// A table SAS likewise.
struct TableSas {
  std::string permissions = "raud", start = "", expiry = "2021-05-23", identifier = "", ip = "",
              protocol = "";
  std::string range = "";               // parameters
  std::string signed_range = "\n\n\n";  // their lines

  Sent sent() const {
    const std::string query = "sv=2019-02-02&tn=MyTable&sp=" + permissions + "&st=" + start +
                              "&se=" + expiry + "&si=" + identifier + "&sip=" + ip + "&spr=" + protocol +
                              range;
    const std::string text = permissions + "\n" + start + "\n" + expiry +
                             "\n/table/devstoreaccount1/mytable\n" + identifier + "\n" + ip + "\n" +
                             protocol + "\n2019-02-02\n" + signed_range;
    return {.target = sas_target(query, text)};
  }
};

std::string outcome(const TableSas& sas) { return outcome(sas.sent()); }

TEST_CASE("An account SAS grants letters on kinds of resources") {
  const auto caller = authenticate(AccountSas().sent());
  REQUIRE(caller.has_value());
  CHECK(caller->kind == Caller::Kind::AccountSas);
  CHECK(caller->permissions == "raud");
  CHECK(caller->resource_types == "sco");
  CHECK_FALSE(caller->keys.has_value());
}

TEST_CASE("A table SAS grants letters on one table") {
  const auto caller = authenticate(TableSas().sent());
  REQUIRE(caller.has_value());
  CHECK(caller->kind == Caller::Kind::TableSas);
  CHECK(caller->permissions == "raud");
  CHECK(caller->table == "mytable");
  CHECK_FALSE(caller->keys.has_value());
}

TEST_CASE("A SAS is signed with each key of the account, and by nobody else") {
  const std::string_view query = "sv=2019-02-02&ss=t&srt=o&sp=r&se=2021-05-23";
  const std::string_view text = "devstoreaccount1\nr\nt\no\n\n2021-05-23\n\n\n2019-02-02\n";
  CHECK(outcome({.target = sas_target(query, text)}) == "AccountSas");
  CHECK(outcome({.target = sas_target(query, text, kSecondKey)}) == "AccountSas");
  CHECK(outcome({.target = sas_target(query, text, "b3RoZXI=")}) == "AuthenticationFailed");
  CHECK(outcome({.target = "/devstoreaccount1/t?" + std::string(query) + "&sig="}) == "AuthenticationFailed");
  CHECK(outcome({.target = sas_target(query, text) + "&st="}) == "AccountSas");
  // Nothing that is signed may be changed or added.
  for (const char* more : {"&spr=https,http", "&st=2021-05-01", "&sip=127.0.0.1"})
    CHECK(outcome({.target = sas_target(query, text) + more}) == "AuthenticationFailed");
  CHECK(outcome({.target = sas_target("sv=2019-02-02&ss=t&srt=o&sp=rw&se=2021-05-23", text)}) ==
        "AuthenticationFailed");
  CHECK(outcome({.target = sas_target("sv=2014-02-14&ss=t&srt=o&sp=r&se=2021-05-23",
                                      "devstoreaccount1\nr\nt\no\n\n2021-05-23\n\n\n2014-02-14\n")}) ==
        "AuthenticationFailed");
  // Behind an Authorization header a SAS does not count.
  Sent both{.target = sas_target(query, text),
            .fields = {{"Authorization", "SharedKey devstoreaccount1:x"}, {"Date", kDate}}};
  CHECK(outcome(both) == "AuthenticationFailed");
}

TEST_CASE("A SAS counts from its start to its expiry; an expiry it must have") {
  const struct {
    std::string start, expiry;
    bool counts;
  } cases[] = {
      {"", "2021-05-22T23:05:14Z", true},
      {"", "2021-05-22T23:05:13Z", false},
      {"", "2021-05-22T23:06Z", true},
      {"", "2021-05-22", false},
      {"2021-05-22T23:05:14Z", "2021-05-23", true},
      {"2021-05-22T23:05:15Z", "2021-05-23", false},
      {"2021-05-22", "2021-05-23", true},
      {"", "", false},
      {"", "tomorrow", false},
      {"yesterday", "2021-05-23", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.start);
    CAPTURE(c.expiry);
    CHECK(outcome(AccountSas{.start = c.start, .expiry = c.expiry}) ==
          (c.counts ? "AccountSas" : "AuthenticationFailed"));
    CHECK(outcome(TableSas{.start = c.start, .expiry = c.expiry}) ==
          (c.counts ? "TableSas" : "AuthenticationFailed"));
  }
}

TEST_CASE("sip is an address or a range, of IPv4; the IPv6 loopback counts as the other one") {
  const struct {
    std::string allowed;
    std::string_view remote;
    bool fits;
  } cases[] = {
      {"", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.1", true},
      {"10.0.0.1", "10.0.0.2", false},
      {"10.0.0.1-10.0.1.0", "10.0.0.1", true},
      {"10.0.0.1-10.0.1.0", "10.0.0.255", true},
      {"10.0.0.1-10.0.1.0", "10.0.1.0", true},
      {"10.0.0.1-10.0.1.0", "10.0.1.1", false},
      {"10.0.0.9-10.0.0.10", "10.0.0.90", false},
      {"10.0.0.2-10.0.0.1", "10.0.0.1", false},
      {"127.0.0.1", "::1", true},
      {"127.0.0.1", "fe80::1", false},
      {"::1", "::1", false},
      {"10.0.0.1-", "10.0.0.1", false},
      {"everywhere", "10.0.0.1", false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.allowed);
    CAPTURE(c.remote);
    Sent sent = AccountSas{.ip = c.allowed}.sent();
    sent.remote = c.remote;
    CHECK(outcome(sent) == (c.fits ? "AccountSas" : "AuthorizationSourceIPMismatch"));
  }
  Sent sent = TableSas{.ip = "10.0.0.1"}.sent();
  CHECK(authenticate(sent).error().message ==
        "This request is not authorized to perform this operation using this source IP 127.0.0.1.");
}

TEST_CASE("spr=https takes no HTTP") {
  for (const bool secure : {false, true}) {
    for (const std::string protocol : {"", "https,http"}) {
      Sent sent = AccountSas{.protocol = protocol}.sent();
      sent.secure = secure;
      CHECK(outcome(sent) == "AccountSas");
    }
    Sent sent = TableSas{.protocol = "https"}.sent();
    sent.secure = secure;
    CHECK(outcome(sent) == (secure ? "TableSas" : "AuthorizationProtocolMismatch"));
  }
}

TEST_CASE("An account SAS must be for tables") {
  for (const std::string services : {"t", "bqtf", "tb"})
    CHECK(outcome(AccountSas{.services = services}) == "AccountSas");
  for (const std::string services : {"b", "bqf", "T"})
    CHECK(outcome(AccountSas{.services = services}) == "AuthorizationServiceMismatch");
}

// Each case mends the failure before it: whoever has no signature learns nothing else.
TEST_CASE("The checks of a SAS come in the service's order") {
  AccountSas sas{.services = "b", .expiry = "2021-05-21", .ip = "10.0.0.1", .protocol = "https"};
  Sent unsigned_one = sas.sent();
  unsigned_one.target += "x";
  CHECK(outcome(unsigned_one) == "AuthenticationFailed");
  CHECK(outcome(sas) == "AuthenticationFailed");  // time
  sas.expiry = "2021-05-23";
  CHECK(outcome(sas) == "AuthorizationSourceIPMismatch");
  sas.ip = "127.0.0.1";
  CHECK(outcome(sas) == "AuthorizationProtocolMismatch");
  sas.protocol = "https,http";
  CHECK(outcome(sas) == "AuthorizationServiceMismatch");
  sas.services = "t";
  CHECK(outcome(sas) == "AccountSas");
}

// Reports from the service: "sp is mandatory. Cannot be empty", and likewise for the others.
TEST_CASE("A SAS that lacks what it cannot do without does not authenticate") {
  CHECK(outcome(AccountSas{.services = ""}) == "AuthenticationFailed");
  CHECK(outcome(AccountSas{.resource_types = ""}) == "AuthenticationFailed");
  CHECK(outcome(AccountSas{.permissions = ""}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = ""}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = "", .identifier = "null"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = "", .expiry = "", .identifier = "times"}) == "AuthenticationFailed");
}

TEST_CASE("A stored access policy gives what the SAS leaves out") {
  const auto caller = authenticate(TableSas{.permissions = "", .expiry = "", .identifier = "all"}.sent());
  REQUIRE(caller.has_value());
  CHECK(caller->permissions == "raud");
  const auto mixed = authenticate(TableSas{.permissions = "", .identifier = "rights"}.sent());
  REQUIRE(mixed.has_value());
  CHECK(mixed->permissions == "ra");
  CHECK(authenticate(TableSas{.permissions = "d", .expiry = "", .identifier = "times"}.sent())->permissions ==
        "d");
  CHECK(authenticate(TableSas{.identifier = "null"}.sent())->permissions == "raud");
}

TEST_CASE("A field in both places, an unknown policy, and one that does not count now are refused") {
  const TableSas cases[] = {
      {.permissions = "r", .expiry = "", .identifier = "all"},
      {.permissions = "", .expiry = "2021-05-23", .identifier = "all"},
      {.permissions = "", .start = "2021-05-22", .expiry = "", .identifier = "all"},
      {.permissions = "r", .expiry = "2021-05-23", .identifier = "rights"},
      {.permissions = "", .expiry = "", .identifier = "rights"},  // no expiry anywhere
      {.permissions = "", .expiry = "", .identifier = "late"},
      {.permissions = "", .expiry = "", .identifier = "over"},
      {.permissions = "", .expiry = "", .identifier = "ALL"},
      {.identifier = "nobody"},
  };
  for (const auto& sas : cases) {
    CAPTURE(sas.identifier);
    CHECK(outcome(sas) == "AuthenticationFailed");
  }
  CHECK(outcome({.target = sas_target(
                     "sv=2019-02-02&tn=other&si=null&sp=r&se=2021-05-23",
                     "r\n\n2021-05-23\n/table/devstoreaccount1/other\nnull\n\n\n2019-02-02\n\n\n\n")}) ==
        "AuthenticationFailed");
}

TEST_CASE("The key range is inclusive: row keys bound the first and the last partition") {
  const struct {
    std::string parameters, lines, range;
  } cases[] = {
      {"&spk=a", "a\n\n\n", "[(a,) end)"},
      {"&spk=a&srk=5", "a\n5\n\n", "[(a,5) end)"},
      {"&epk=b", "\n\nb\n", "[(,) (b+,))"},
      {"&epk=b&erk=7", "\n\nb\n7", "[(,) (b,7+))"},
      {"&spk=a&srk=5&epk=b&erk=7", "a\n5\nb\n7", "[(a,5) (b,7+))"},
      {"&spk=a&epk=a", "a\n\na\n", "[(a,) (a+,))"},
      {"&spk=&epk=", "\n\n\n", "[(,) (+,))"},
      {"&epk=b&erk=", "\n\nb\n", "[(,) (b,+))"},
      {"&spk=%C3%A9+%2B", "\xC3\xA9 +\n\n\n", "[(\xC3\xA9 +,) end)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.parameters);
    const auto caller = authenticate(TableSas{.range = c.parameters, .signed_range = c.lines}.sent());
    REQUIRE(caller.has_value());
    REQUIRE(caller->keys.has_value());
    CHECK(to_string(*caller->keys) == c.range);
  }
}

TEST_CASE("A row key without its partition key bounds nothing, and is refused") {
  CHECK(outcome(TableSas{.range = "&srk=5", .signed_range = "\n5\n\n"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&erk=5", .signed_range = "\n\n\n5"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&spk=a&erk=5", .signed_range = "a\n\n\n5"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&srk=5&epk=b", .signed_range = "\n5\nb\n"}) == "AuthenticationFailed");
}

// --- What operations ask
// -------------------------------------------------------------------------------------

Caller account_sas(std::string resource_types, std::string permissions) {
  return {Caller::Kind::AccountSas, std::move(permissions), std::move(resource_types), {}, std::nullopt};
}

Caller table_sas(std::string permissions, std::optional<KeyRange> keys = std::nullopt) {
  return {Caller::Kind::TableSas, std::move(permissions), {}, "mytable", std::move(keys)};
}

std::string permission(const Caller& caller, const Operation& operation) {
  const auto allowed = authorize(caller, operation);
  return allowed ? "yes" : std::string(to_string(allowed.error().code));
}

WriteEntity write(WriteKind kind, Condition::Kind condition, std::string table = "MyTable",
                  EntityKey key = {"p", "r"}) {
  return {kind, std::move(table), std::move(key), {condition, {}}};
}

QueryEntities query(std::string table = "MyTable") {
  return {std::move(table), {}, plan_query({}), {}, 1000, {}};
}

constexpr auto kNone = Condition::Kind::None;
constexpr auto kAny = Condition::Kind::Any;

struct Needed {
  std::string name;
  Operation operation;
  std::string resource_type;             // empty: no SAS may
  std::vector<std::string> permissions;  // each of these suffices
  bool on_entities = false;              // within reach of a table SAS
};

// Source: learn.microsoft.com/rest/api/storageservices/create-account-sas#table-service
const Needed kNeeded[] = {
    {"get service properties", GetServiceProperties{}, "s", {"r"}},
    {"set service properties", SetServiceProperties{}, "s", {"w"}},
    {"get service stats", GetServiceStats{}, "s", {"r"}},
    {"query tables", QueryTables{{}, 1000, {}}, "c", {"l"}},
    {"get table", GetTable{"MyTable"}, "c", {"l"}},
    {"create table", CreateTable{}, "c", {"c", "w"}},
    {"delete table", DeleteTable{"MyTable"}, "c", {"d"}},
    {"get table ACL", GetTableAcl{"MyTable"}, "", {}},
    {"set table ACL", SetTableAcl{"MyTable"}, "", {}},
    {"query entities", query(), "o", {"r"}, true},
    {"get entity", GetEntity{"MyTable", {"p", "r"}, {}}, "o", {"r"}, true},
    {"insert entity", InsertEntity{"MyTable"}, "o", {"a"}, true},
    {"update", write(WriteKind::Replace, kAny), "o", {"u"}, true},
    {"update an ETag", write(WriteKind::Replace, Condition::Kind::ETag), "o", {"u"}, true},
    {"merge", write(WriteKind::Merge, kAny), "o", {"u"}, true},
    {"insert or replace", write(WriteKind::Replace, kNone), "o", {"au"}, true},
    {"insert or merge", write(WriteKind::Merge, kNone), "o", {"au"}, true},
    {"delete entity", write(WriteKind::Delete, kAny), "o", {"d"}, true},
};

const std::string kAllLetters = "rwdlacupx";

// Whether these letters hold all of one of the alternatives.
bool suffices(const std::string& letters, const std::vector<std::string>& alternatives) {
  for (const auto& needed : alternatives)
    if (needed.find_first_not_of(letters) == std::string::npos) return true;
  return false;
}

TEST_CASE("The owner of the key may do everything") {
  for (const auto& needed : kNeeded) CHECK(permission(Caller(), needed.operation) == "yes");
}

// Recorded from the service: data and service properties, but of access policies there is nothing to be found.
TEST_CASE("The holder of a bearer token may do everything but see access policies") {
  const Caller bearer_caller{Caller::Kind::Bearer, {}, {}, {}, std::nullopt};
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    CHECK(permission(bearer_caller, needed.operation) ==
          (needed.resource_type.empty() ? "ResourceNotFound" : "yes"));
  }
}

TEST_CASE("An account SAS may what its letters say, on what its resource types say") {
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    for (const std::string type : {"s", "c", "o"}) {
      CAPTURE(type);
      for (const std::string& letters :
           {std::string(), std::string("r"), std::string("w"), std::string("d"), std::string("l"),
            std::string("a"), std::string("c"), std::string("u"), std::string("au"), kAllLetters}) {
        CAPTURE(letters);
        const std::string found = permission(account_sas(type, letters), needed.operation);
        if (needed.resource_type.empty()) {
          CHECK(found != "yes");
        } else if (type != needed.resource_type) {
          CHECK(found == "AuthorizationResourceTypeMismatch");
        } else {
          CHECK(found == (suffices(letters, needed.permissions) ? "yes" : "AuthorizationPermissionMismatch"));
        }
      }
    }
    CHECK((permission(account_sas("sco", kAllLetters), needed.operation) == "yes") !=
          needed.resource_type.empty());
  }
}

TEST_CASE("A table SAS may what its letters say on the entities of its table, and nothing else") {
  for (const auto& needed : kNeeded) {
    CAPTURE(needed.name);
    for (const std::string& letters : {std::string(), std::string("r"), std::string("a"), std::string("u"),
                                       std::string("d"), std::string("au"), kAllLetters}) {
      CAPTURE(letters);
      const std::string found = permission(table_sas(letters), needed.operation);
      if (!needed.on_entities) {
        CHECK(found == "AuthorizationFailure");
      } else {
        CHECK(found == (suffices(letters, needed.permissions) ? "yes" : "AuthorizationPermissionMismatch"));
      }
    }
  }
}

TEST_CASE("A table SAS does not open another table") {
  const Caller caller = table_sas("raud");
  for (const Operation& operation :
       {Operation(query("other")), Operation(GetEntity{"other", {}, {}}), Operation(InsertEntity{"MyTable2"}),
        Operation(write(WriteKind::Replace, kNone, "other")),
        Operation(write(WriteKind::Delete, kAny, "mytabl"))})
    CHECK(permission(caller, operation) == "AuthorizationFailure");
  CHECK(permission(caller, InsertEntity{"MYTABLE"}) == "yes");
}

// Its operations are asked one by one.
TEST_CASE("A batch by itself asks for nothing") {
  CHECK_FALSE(required_access(Batch{}).has_value());
  CHECK(permission(table_sas(""), Batch{}) == "yes");
  CHECK(permission(account_sas("", ""), Batch{}) == "yes");
}

TEST_CASE("Out of the key range reads find nothing, and writes are refused") {
  const Caller caller = table_sas("raud", KeyRange{{"b", "5"}, EntityKey{"d", std::string("7\0", 2)}});
  const struct {
    EntityKey key;
    bool in_reach;
  } cases[] = {
      {{"a", "9"}, false}, {{"b", "4"}, false}, {{"b", "5"}, true},   {{"b", "9"}, true}, {{"c", ""}, true},
      {{"d", ""}, true},   {{"d", "7"}, true},  {{"d", "70"}, false}, {{"e", ""}, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.key.partition_key);
    CAPTURE(c.key.row_key);
    CHECK(may_touch(caller, c.key) == c.in_reach);
    CHECK(permission(caller, GetEntity{"MyTable", c.key, {}}) == (c.in_reach ? "yes" : "ResourceNotFound"));
    for (const auto& [kind, condition] :
         {std::pair{WriteKind::Replace, kNone}, std::pair{WriteKind::Replace, kAny},
          std::pair{WriteKind::Merge, kNone}, std::pair{WriteKind::Merge, kAny},
          std::pair{WriteKind::Delete, kAny}})
      CHECK(permission(caller, write(kind, condition, "MyTable", c.key)) ==
            (c.in_reach ? "yes" : "AuthorizationFailure"));
  }
  // What has no key in its URL is limited where its keys are known.
  CHECK(permission(caller, query()) == "yes");
  CHECK(to_string(within_reach(all_keys(), caller)) == "[(b,5) (d,7+))");
  CHECK(permission(caller, InsertEntity{"MyTable"}) == "yes");
  // First the permission, then the range.
  CHECK(permission(table_sas("a", caller.keys), GetEntity{"MyTable", {"a", ""}, {}}) ==
        "AuthorizationPermissionMismatch");
  CHECK(may_touch(table_sas("r"), {"a", ""}));
  CHECK(to_string(within_reach(all_keys(), Caller())) == "[(,) end)");
}

}  // namespace
}  // namespace rocktable
