// Access to the control API: Host, Origin, token, signature.
#include "server/access/control_access.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using boost::asio::ip::make_address;
using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

const ControlPolicy kLocal{{make_address("127.0.0.1"), make_address("::1")}, "", ""};
const ControlPolicy kLocalWithToken{{make_address("127.0.0.1")}, "", "secret"};
const ControlPolicy kNamed{{make_address("127.0.0.1")}, "Tables.Example", ""};
const ControlPolicy kLan{{make_address("192.0.2.7")}, "192.0.2.7", ""};
const ControlPolicy kWildcard{{make_address("0.0.0.0")}, "0.0.0.0", "secret"};

// The status of the refusal; 200 if the request is allowed.
int status_of(const ControlPolicy& policy, const Fields& fields, bool is_signed = false,
              std::string_view resource = "stats") {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  const auto refusal = refuse_control(policy, resource, headers, [&] { return is_signed; });
  if (refusal) CHECK_FALSE(refusal->error.empty());
  return refusal ? refusal->status : 200;
}

TEST_CASE("Only health and ready need no credentials") {
  const Fields hostile{{"Host", "evil.example"}, {"Origin", "http://evil.example"}, {"Sec-Fetch-Site", "cross-site"}};
  for (const auto& policy : {kLocal, kLocalWithToken, kWildcard}) {
    for (const char* open : {"health", "ready"}) {
      CHECK(status_of(policy, hostile, false, open) == 200);
      CHECK(status_of(policy, {}, false, open) == 200);
    }
    for (const char* other : {"stats", "reset", "", "health/", "Health", "ready/x", "readyx", "%68ealth"})
      CHECK(status_of(policy, hostile, false, other) == 403);
  }
}

TEST_CASE("Headers that are checked must not be repeated") {
  const Fields good{{"Host", "localhost"}, {"Authorization", "Bearer secret"}};
  CHECK(status_of(kLocalWithToken, good) == 200);
  for (const auto& again : Fields{{"Host", "localhost"}, {"authorization", "Bearer secret"}, {"Authorization", ""}}) {
    Fields twice = good;
    twice.push_back(again);
    CHECK(status_of(kLocalWithToken, twice) == 403);
    CHECK(status_of(kLocalWithToken, twice, false, "health") == 200);
  }
  const Fields two_tokens{{"Host", "localhost"}, {"x-rocktable-token", "secret"}, {"x-rocktable-token", "a"}};
  CHECK(status_of(kLocalWithToken, two_tokens) == 403);
}

// DNS rebinding: an attacker's name that resolves to this machine makes the page same-origin.
TEST_CASE("The Host is an address or a name of this server") {
  struct {
    const ControlPolicy& policy;
    std::string_view host;
    int status;
  } cases[] = {
      {kLocal, "127.0.0.1:10002", 200},
      {kLocal, "127.0.0.1", 200},
      {kLocal, "127.8.9.10:1", 200},
      {kLocal, "[::1]:10002", 200},
      {kLocal, "[::1]", 200},
      {kLocal, "::1", 403},
      {kLocal, "::1:", 403},
      {kLocal, "[127.0.0.1]", 403},
      {kLocal, "[::ffff:127.0.0.1]:10002", 200},
      {kLocal, "localhost:10002", 200},
      {kLocal, "LocalHost", 200},
      {kLocal, "devstoreaccount1.table.localhost:10002", 200},
      {kLocal, "host.docker.internal:10002", 200},
      {kLocal, "", 403},
      {kLocal, "evil.example:10002", 403},
      {kLocal, "localhost.evil.example", 403},
      {kLocal, "evillocalhost", 403},
      {kLocal, "127.0.0.1.evil.example:10002", 403},
      {kLocal, "127.0.0.1@evil.example", 403},
      {kLocal, "192.0.2.7:10002", 403},
      {kLocal, "[2001:db8::1]:10002", 403},
      {kLocal, "0.0.0.0:10002", 403},
      {kLocal, "tables.example", 403},
      {kNamed, "tables.example:10002", 200},
      {kNamed, "sub.tables.example", 403},
      {kNamed, "evil.example", 403},
      {kLan, "192.0.2.7:10002", 401},  // own address, but credentials are required
      {kLan, "192.0.2.8:10002", 403},
      {kLan, "evil.example", 403},
      {kWildcard, "192.0.2.8:10002", 401},
      {kWildcard, "127.0.0.1", 401},
      {kWildcard, "evil.example", 403},
  };
  for (const auto& c : cases) {
    CAPTURE(c.host);
    CHECK(status_of(c.policy, {{"Host", c.host}}) == c.status);
  }
  CHECK(status_of(kLocal, {}) == 403);
  CHECK(status_of(kLocal, {{"Host", "localhost"}, {"host", "evil.example"}}) == 403);
}

TEST_CASE("A request with a token or a signature may have any Host") {
  CHECK(status_of(kLocalWithToken, {{"Host", "gateway.example"}, {"Authorization", "Bearer secret"}}) == 200);
  CHECK(status_of(kWildcard, {{"Host", "gateway.example"}, {"x-rocktable-token", "secret"}}) == 200);
  const Fields with_signature{{"Host", "gateway.example"}, {"Authorization", "SharedKey one:c2ln"}};
  for (const auto& policy : {kLocal, kLocalWithToken, kLan, kWildcard})
    CHECK(status_of(policy, with_signature, true) == 200);
  // Wrong credentials do not help: after DNS rebinding, a page may send any header.
  CHECK(status_of(kLocal, with_signature, false) == 403);
  CHECK(status_of(kLocal, {{"Host", "gateway.example"}, {"Authorization", "Bearer secret"}}) == 403);
  CHECK(status_of(kWildcard, with_signature, false) == 401);
}

TEST_CASE("Cross-origin requests are refused, even with credentials") {
  struct {
    Fields fields;
    int status;
  } cases[] = {
      {{{"Origin", "http://localhost:10002"}}, 200},
      {{{"Origin", "https://LOCALHOST:10002"}}, 200},
      {{{"Sec-Fetch-Site", "same-origin"}}, 200},
      {{{"Sec-Fetch-Site", "none"}}, 200},
      {{{"Origin", "http://localhost:10002"}, {"Sec-Fetch-Site", "same-origin"}}, 200},
      {{{"Origin", "http://localhost:3000"}}, 403},
      {{{"Origin", "http://localhost"}}, 403},
      {{{"Origin", "http://127.0.0.1:10002"}}, 403},
      {{{"Origin", "http://localhost:10002.evil.example"}}, 403},
      {{{"Origin", "http://evil.example"}}, 403},
      {{{"Origin", "file://localhost:10002"}}, 403},
      {{{"Origin", "null"}}, 403},
      {{{"Origin", ""}}, 403},
      {{{"Origin", "http://localhost:10002"}, {"Origin", "http://evil.example"}}, 403},
      {{{"Sec-Fetch-Site", "cross-site"}}, 403},
      {{{"Sec-Fetch-Site", "same-site"}}, 403},
      {{{"Sec-Fetch-Site", ""}}, 403},
      {{{"Sec-Fetch-Site", "none"}, {"Sec-Fetch-Site", "cross-site"}}, 403},
      {{{"Origin", "http://localhost:10002"}, {"Sec-Fetch-Site", "cross-site"}}, 403},
  };
  for (auto& c : cases) {
    CAPTURE(c.fields.front().second);
    c.fields.emplace_back("Host", "localhost:10002");
    CHECK(status_of(kLocal, c.fields) == c.status);
    c.fields.emplace_back("Authorization", "Bearer secret");
    CHECK(status_of(kLocalWithToken, c.fields) == c.status);
    CHECK(status_of(kWildcard, c.fields) == c.status);
  }
}

TEST_CASE("A token or signature is required if other machines can reach the server, or if a token is set") {
  CHECK_FALSE(kLocal.requires_credentials());
  CHECK_FALSE(kNamed.requires_credentials());
  CHECK(kLocalWithToken.requires_credentials());
  CHECK(kLan.requires_credentials());
  CHECK(kWildcard.requires_credentials());
  CHECK(ControlPolicy{{make_address("::")}, "::", ""}.requires_credentials());
  CHECK(ControlPolicy{{make_address("127.0.0.1"), make_address("10.0.0.1")}, "", ""}.requires_credentials());

  struct {
    std::string_view name, value;
    bool is_signed;
    int status;
  } cases[] = {
      {"Authorization", "Bearer secret", false, 200},
      {"Authorization", "bearer   secret ", false, 200},
      {"x-rocktable-token", "secret", false, 200},
      {"X-RockTable-Token", "secret", false, 200},
      {"Authorization", "SharedKey one:c2ln", true, 200},
      {"Authorization", "sharedkey one:c2ln", true, 200},
      {"Authorization", "SharedKeyLite one:c2ln", true, 401},
      {"Authorization", "SharedKey one:c2ln", false, 401},
      {"Authorization", "Bearer Secret", true, 401},
      {"Authorization", "Bearer secrets", false, 401},
      {"Authorization", "Bearer secre", false, 401},
      {"Authorization", "Bearer", false, 401},
      {"Authorization", "Bearersecret", false, 401},
      {"Authorization", "Basic secret", true, 401},
      {"Authorization", "secret", true, 401},
      {"Authorization", "", true, 401},
      {"x-rocktable-token", "", false, 401},
      {"x-rocktable-token", "Bearer secret", false, 401},
      {"X-Other", "secret", true, 401},
  };
  for (const auto& c : cases) {
    CAPTURE(c.value);
    for (const auto& policy : {kLocalWithToken, kWildcard})
      CHECK(status_of(policy, {{"Host", "127.0.0.1:1"}, {c.name, c.value}}, c.is_signed) == c.status);
  }
}

TEST_CASE("If no token is configured, no token is accepted, not even the empty one") {
  for (const char* value : {"Bearer ", "Bearer", "Bearer x"})
    CHECK(status_of(kLan, {{"Host", "192.0.2.7"}, {"Authorization", value}}) == 401);
  CHECK(status_of(kLan, {{"Host", "192.0.2.7"}, {"x-rocktable-token", ""}}) == 401);
}

TEST_CASE("The refusal names the accepted credentials, but never the token") {
  Headers headers;
  headers.add("Host", "127.0.0.1");
  const auto nobody = [] { return false; };
  const auto with = refuse_control(kWildcard, "stats", headers, nobody),
             without = refuse_control(kLan, "stats", headers, nobody);
  REQUIRE(with.has_value());
  REQUIRE(without.has_value());
  for (const char* part : {"Authorization: Bearer", "x-rocktable-token", "Shared Key"})
    CHECK(with->error.find(part) != std::string::npos);
  CHECK(with->error.find("secret") == std::string::npos);
  CHECK(without->error.find("Shared Key") != std::string::npos);
  CHECK(without->error.find("Bearer") == std::string::npos);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
