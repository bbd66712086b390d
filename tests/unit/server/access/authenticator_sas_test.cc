// Authentication by shared access signature: account SAS, table SAS, stored access policies.
#include <doctest/doctest.h>

#include <string>

#include "base/uri.h"
#include "odata/protocol/development_account.h"
#include "tests/unit/server/access/requests.h"

namespace rocktable::TEST_FILE {
namespace {

// The target of a request with a SAS: the query, and a signature over `text`.
std::string sas_target(std::string_view query, std::string_view text, std::string_view key = kDevelopmentKey) {
  return "/devstoreaccount1/MyTable?" + std::string(query) + "&sig=" + percent_encode(sign(text, key));
}

// An account SAS with parts that a test can replace.
struct AccountSas {
  std::string services = "t", resource_types = "sco", permissions = "raud", start = "", expiry = "2021-05-23", ip = "",
              protocol = "";

  Sent sent() const {
    const std::string query = "sv=2019-02-02&ss=" + services + "&srt=" + resource_types + "&sp=" + permissions +
                              "&st=" + start + "&se=" + expiry + "&sip=" + ip + "&spr=" + protocol;
    const std::string text = "devstoreaccount1\n" + permissions + "\n" + services + "\n" + resource_types + "\n" +
                             start + "\n" + expiry + "\n" + ip + "\n" + protocol + "\n2019-02-02\n";
    return {.target = sas_target(query, text)};
  }
};

using rocktable::outcome;
std::string outcome(const AccountSas& sas) { return outcome(sas.sent()); }

// A table SAS, correctly signed, with parts that a test can replace.
struct TableSas {
  std::string permissions = "raud", start = "", expiry = "2021-05-23", identifier = "", ip = "", protocol = "";
  std::string range = "";               // parameters
  std::string signed_range = "\n\n\n";  // their lines

  Sent sent() const {
    const std::string query = "sv=2019-02-02&tn=MyTable&sp=" + permissions + "&st=" + start + "&se=" + expiry +
                              "&si=" + identifier + "&sip=" + ip + "&spr=" + protocol + range;
    const std::string text = permissions + "\n" + start + "\n" + expiry + "\n/table/devstoreaccount1/mytable\n" +
                             identifier + "\n" + ip + "\n" + protocol + "\n2019-02-02\n" + signed_range;
    return {.target = sas_target(query, text)};
  }
};

std::string outcome(const TableSas& sas) { return outcome(sas.sent()); }

}  // namespace

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

TEST_CASE("A SAS may be signed with each key of the account, and with no other") {
  const std::string_view query = "sv=2019-02-02&ss=t&srt=o&sp=r&se=2021-05-23";
  const std::string_view text = "devstoreaccount1\nr\nt\no\n\n2021-05-23\n\n\n2019-02-02\n";
  CHECK(outcome({.target = sas_target(query, text)}) == "AccountSas");
  CHECK(outcome({.target = sas_target(query, text, kSecondKey)}) == "AccountSas");
  CHECK(outcome({.target = sas_target(query, text, "b3RoZXI=")}) == "AuthenticationFailed");
  CHECK(outcome({.target = "/devstoreaccount1/t?" + std::string(query) + "&sig="}) == "AuthenticationFailed");
  CHECK(outcome({.target = sas_target(query, text) + "&st="}) == "AccountSas");
  // No signed part may be changed or added.
  for (const char* more : {"&spr=https,http", "&st=2021-05-01", "&sip=127.0.0.1"})
    CHECK(outcome({.target = sas_target(query, text) + more}) == "AuthenticationFailed");
  CHECK(outcome({.target = sas_target("sv=2019-02-02&ss=t&srt=o&sp=rw&se=2021-05-23", text)}) ==
        "AuthenticationFailed");
  CHECK(outcome({.target = sas_target("sv=2014-02-14&ss=t&srt=o&sp=r&se=2021-05-23",
                                      "devstoreaccount1\nr\nt\no\n\n2021-05-23\n\n\n2014-02-14\n")}) ==
        "AuthenticationFailed");
  // A SAS is ignored if there is an Authorization header.
  Sent both{.target = sas_target(query, text),
            .fields = {{"Authorization", "SharedKey devstoreaccount1:x"}, {"Date", kDate}}};
  CHECK(outcome(both) == "AuthenticationFailed");
}

TEST_CASE("A SAS is valid from its start to its expiry; the expiry is mandatory") {
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
    CHECK(outcome(TableSas{.start = c.start, .expiry = c.expiry}) == (c.counts ? "TableSas" : "AuthenticationFailed"));
  }
}

TEST_CASE("sip is an IPv4 address or range; the IPv6 loopback counts as 127.0.0.1") {
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

TEST_CASE("spr=https refuses HTTP") {
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
  for (const std::string services : {"b", "bqf"})
    CHECK(outcome(AccountSas{.services = services}) == "AuthorizationServiceMismatch");
}

// Recorded from the service, for services; resource types are inferred.
TEST_CASE("An account SAS with letters that do not exist is refused") {
  for (const std::string services : {"T", "tx", "<class 'TableServices'>", "t,b"})
    CHECK(outcome(AccountSas{.services = services}) == "AuthenticationFailed");
  for (const std::string types : {"O", "oc,s", "object"})
    CHECK(outcome(AccountSas{.resource_types = types}) == "AuthenticationFailed");
}

// Each case fixes the failure before it. A caller without a valid signature learns nothing else.
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
TEST_CASE("A SAS without a mandatory field does not authenticate") {
  CHECK(outcome(AccountSas{.services = ""}) == "AuthenticationFailed");
  CHECK(outcome(AccountSas{.resource_types = ""}) == "AuthenticationFailed");
  CHECK(outcome(AccountSas{.permissions = ""}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = ""}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = "", .identifier = "null"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.permissions = "", .expiry = "", .identifier = "times"}) == "AuthenticationFailed");
}

TEST_CASE("A stored access policy fills the fields that the SAS omits") {
  const auto caller = authenticate(TableSas{.permissions = "", .expiry = "", .identifier = "all"}.sent());
  REQUIRE(caller.has_value());
  CHECK(caller->permissions == "raud");
  const auto mixed = authenticate(TableSas{.permissions = "", .identifier = "rights"}.sent());
  REQUIRE(mixed.has_value());
  CHECK(mixed->permissions == "ra");
  CHECK(authenticate(TableSas{.permissions = "d", .expiry = "", .identifier = "times"}.sent())->permissions == "d");
  CHECK(authenticate(TableSas{.identifier = "null"}.sent())->permissions == "raud");
}

TEST_CASE("A field in both places, an unknown policy, and an expired one are refused") {
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
  CHECK(
      outcome({.target = sas_target("sv=2019-02-02&tn=other&si=null&sp=r&se=2021-05-23",
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

TEST_CASE("A row key bound without its partition key bound is refused") {
  CHECK(outcome(TableSas{.range = "&srk=5", .signed_range = "\n5\n\n"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&erk=5", .signed_range = "\n\n\n5"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&spk=a&erk=5", .signed_range = "a\n\n\n5"}) == "AuthenticationFailed");
  CHECK(outcome(TableSas{.range = "&srk=5&epk=b", .signed_range = "\n5\nb\n"}) == "AuthenticationFailed");
}

}  // namespace rocktable::TEST_FILE
