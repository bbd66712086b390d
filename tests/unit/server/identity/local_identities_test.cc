// Tokens of local identities: what they say, who signed them, and which requests get one.
#include "server/identity/local_identities.h"

#include <doctest/doctest.h>

#include "odata/protocol/bearer_token.h"
#include "server/identity/identity_endpoint.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr DateTime kNow{kUnixEpoch.ticks + 1'800'000'000 * kTicksPerSecond};
constexpr std::string_view kAccount = "devstoreaccount1";

InstanceSecret secret(const char* text = "a secret of this test") { return InstanceSecret(text); }

LocalIdentities two(const InstanceSecret& of = secret()) {
  return LocalIdentities({local_identity("alice"), local_identity("bob")}, of);
}

TEST_CASE("A token says who calls, for whom it is, and lasts a day") {
  const LocalIdentities identities = two();
  const std::string token = identities.issue(identities.all()[1], "https://storage.azure.com", kNow);
  const auto claims = parse_bearer_token(token);
  REQUIRE(claims.has_value());
  CHECK(claims->object_id == local_identity("bob").object_id);
  CHECK(claims->app_id == local_identity("bob").app_id);
  CHECK(claims->tenant_id == kLocalTenant);
  CHECK(claims->name == "bob");
  CHECK(claims->audiences == std::vector<std::string>{"https://storage.azure.com"});
  CHECK(claims->issued_at == kNow);
  CHECK(claims->not_before == kNow);
  CHECK(claims->expiry.ticks == kNow.ticks + 86'400 * kTicksPerSecond);
  CHECK(check_claims(*claims, kAccount, kNow).has_value());
  CHECK(check_claims(*claims, kAccount, claims->expiry).has_value());
  CHECK_FALSE(check_claims(*claims, kAccount, {claims->expiry.ticks + 1}).has_value());
}

TEST_CASE("Only a token of the local tenant may be for Cosmos DB") {
  const LocalIdentities identities = two();
  for (const char* resource : {"https://cosmos.azure.com", "https://cosmos.azure.com/"}) {
    auto claims = parse_bearer_token(identities.issue(identities.all()[0], resource, kNow)).value();
    CHECK(check_claims(claims, kAccount, kNow).has_value());
    claims.tenant_id = "11111111-1111-4111-8111-111111111111";
    CHECK_FALSE(check_claims(claims, kAccount, kNow).has_value());
  }
}

TEST_CASE("A token counts only where it was signed, and unchanged") {
  const LocalIdentities identities = two();
  const std::string token = identities.issue(identities.all()[0], "r", kNow);
  const auto claims = parse_bearer_token(token).value();
  CHECK(identities.check_signature(token, claims).has_value());
  CHECK(two().check_signature(token, claims).has_value());  // the same secret
  CHECK(two(secret("another secret of it")).check_signature(token, claims).error().code ==
        ErrorCode::InvalidBearerToken);
  for (std::size_t i = 0; i < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    CHECK_FALSE(identities.check_signature(changed, claims).has_value());
    CHECK_FALSE(identities.check_signature(token.substr(0, i), claims).has_value());
  }
  auto of_cloud = claims;
  of_cloud.tenant_id = "11111111-1111-4111-8111-111111111111";
  CHECK(identities.check_signature("a.b.", of_cloud).has_value());
}

TEST_CASE("The header of the endpoint follows from the secret and is no key") {
  CHECK(two().header() == two().header());
  CHECK(two().header() != two(secret("another secret of it")).header());
  CHECK(two().header().size() == 43);
  CHECK(two().header().find_first_of("+/=") == std::string::npos);
}

TEST_CASE("Who asks the identity endpoint in the right form gets a token") {
  const LocalIdentities identities = two();
  const std::string header = identities.header(), bob = local_identity("bob").app_id;
  const auto status = [&](std::string_view target, IdentityRequest request) {
    request.target = target;
    if (request.method.empty()) request.method = "GET";
    if (request.host.empty()) request.host = "127.0.0.1:80";
    return answer_identity_request(identities, request, kNow).status;
  };
  const std::string service = "/msi/token?api-version=2019-08-01&resource=r",
                    machine = "/metadata/identity/oauth2/token?api-version=2018-02-01&resource=r";
  CHECK(status(service, {.identity_header = header}) == 200);
  CHECK(status(service + "&client_id=" + bob, {.identity_header = header}) == 200);
  CHECK(status(service + "&client_id=x", {.identity_header = header}) == 400);
  CHECK(status(service + "&unknown=x", {.identity_header = header}) == 200);
  CHECK(status(service, {.host = "[::1]:80", .identity_header = header}) == 200);
  CHECK(status(service, {.host = "LOCALHOST", .identity_header = header}) == 200);
  CHECK(status(service, {.host = "localhost.example", .identity_header = header}) == 403);
  CHECK(status(service, {}) == 401);
  CHECK(status(service, {.identity_header = header.substr(1)}) == 401);
  CHECK(status(service, {.method = "POST", .identity_header = header}) == 405);
  CHECK(status(machine, {.metadata = "true"}) == 200);
  CHECK(status(machine, {.metadata = "True"}) == 200);
  CHECK(status(machine, {.identity_header = header}) == 400);
  CHECK(status(machine, {.metadata = "true", .is_forwarded = true}) == 400);
  CHECK(status("", {.identity_header = header}) == 404);
  CHECK(status("/msi/token", {.identity_header = header}) == 400);
  CHECK(status("/msi/token?", {.identity_header = header}) == 400);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
