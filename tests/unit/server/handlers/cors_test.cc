// Cross-origin rules: preflights, and the headers of answers to actual requests.
#include "server/handlers/cors.h"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "server/request/error_response.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

using Fields = std::vector<std::pair<std::string_view, std::string_view>>;

const CorsRule kListed = {
    {"GET", "PUT"}, {"https://a.example", "http://b.example:80"}, {"x-ms-meta-*", "Accept"}, {"ETag"}, 500};
const CorsRule kAny = {{"GET", "POST"}, {"*"}, {"*"}, {"*"}, 7};

RequestContext exchange_of() {
  RequestContext context;
  context.request_id = "id";
  context.version = "2019-02-02";
  context.received = parse_date_time("2021-05-26T15:48:08Z").value();
  return context;
}

const std::string kCommon = "Server: Windows-Azure-Table/1.0 rocktable/" ROCKTABLE_VERSION
                            "\r\nx-ms-request-id: id\r\nx-ms-version: 2019-02-02\r\n"
                            "Date: Wed, 26 May 2021 15:48:08 GMT\r\n";

Response answered(const std::vector<CorsRule>& rules, const Fields& fields) {
  Headers headers;
  for (const auto& [name, value] : fields) headers.add(name, value);
  return preflight(exchange_of(), rules, headers);
}

// The fields that a preflight adds, or its refusal.
std::string preflight_fields(const std::vector<CorsRule>& rules, const Fields& fields) {
  try {
    const Response response = answered(rules, fields);
    CHECK(response.status == 200);
    CHECK(response.body.empty());
    CHECK(response.framing == Response::Framing::Length);
    REQUIRE(response.fields.starts_with(kCommon));
    return response.fields.substr(kCommon.size());
  } catch (const ServiceException& refusal) {
    return std::string(to_string(refusal.error().code));
  }
}

Fields asking(std::string_view origin, std::string_view method, std::string_view headers = "") {
  Fields fields = {{"Origin", origin}, {"Access-Control-Request-Method", method}};
  if (!headers.empty()) fields.emplace_back("Access-Control-Request-Headers", headers);
  return fields;
}

TEST_CASE("A preflight that fits a listed origin names it, and allows credentials") {
  CHECK(preflight_fields({kListed}, asking("https://a.example", "PUT")) ==
        "Access-Control-Allow-Origin: https://a.example\r\nAccess-Control-Allow-Methods: PUT\r\n"
        "Access-Control-Max-Age: 500\r\nAccess-Control-Allow-Credentials: true\r\n");
  CHECK(preflight_fields({kListed}, asking("http://b.example:80", "GET", "x-ms-meta-a, ACCEPT")) ==
        "Access-Control-Allow-Origin: http://b.example:80\r\nAccess-Control-Allow-Methods: GET\r\n"
        "Access-Control-Allow-Headers: x-ms-meta-a, ACCEPT\r\nAccess-Control-Max-Age: 500\r\n"
        "Access-Control-Allow-Credentials: true\r\n");
}

TEST_CASE("A preflight that fits * says so, and allows no credentials") {
  CHECK(preflight_fields({kAny}, asking("https://c.example", "POST", "anything")) ==
        "Access-Control-Allow-Origin: *\r\nAccess-Control-Allow-Methods: POST\r\n"
        "Access-Control-Allow-Headers: anything\r\nAccess-Control-Max-Age: 7\r\n");
}

TEST_CASE("Origin, method and each header must fit the same rule") {
  const auto fits = [](const CorsRule& rule, const Fields& fields) {
    return preflight_fields({rule}, fields) != "CorsPreflightFailure";
  };
  CHECK(fits(kListed, asking("https://a.example", "GET", "x-ms-meta-a,x-ms-meta-,accept")));
  CHECK(fits(kListed, asking("https://a.example", "GET", " , ")));
  CHECK_FALSE(fits(kListed, asking("https://a.example", "GET", "x-ms-met")));
  CHECK_FALSE(fits(kListed, asking("https://a.example", "GET", "accept,x-other")));
  CHECK_FALSE(fits(kListed, asking("https://a.example", "GET", "accept-language")));
  CHECK_FALSE(fits(kListed, asking("https://a.example", "DELETE")));
  CHECK_FALSE(fits(kListed, asking("https://a.example", "get")));
  CHECK_FALSE(fits(kListed, asking("HTTPS://A.example", "GET")));  // the case counts
  CHECK_FALSE(fits(kListed, asking("https://a.example:443", "GET")));
  CHECK_FALSE(fits(kListed, asking("https://a.example.evil.example", "GET")));
  CHECK_FALSE(fits({{"GET"}, {"*"}, {}, {}, 0}, asking("https://a.example", "GET", "x")));
  CHECK(preflight_fields({}, asking("https://a.example", "GET")) == "CorsPreflightFailure");
}

TEST_CASE("A wildcard stands for subdomains") {
  const CorsRule rule = {{"GET"}, {"https://*.contoso.com"}, {}, {}, 0};
  const struct {
    std::string_view origin;
    bool fits;
  } cases[] = {
      {"https://www.contoso.com", true},       {"https://a.b.contoso.com", true}, {"https://contoso.com", false},
      {"https://.contoso.com", false},         {"http://www.contoso.com", false}, {"https://evilcontoso.com", false},
      {"https://www.contoso.com.evil", false}, {"https://*.contoso.com", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.origin);
    CHECK((preflight_fields({rule}, asking(c.origin, "GET")) != "CorsPreflightFailure") == c.fits);
  }
}

TEST_CASE("The first rule that fits decides") {
  CHECK(preflight_fields({kListed, kAny}, asking("https://a.example", "GET")).find("Max-Age: 500") !=
        std::string::npos);
  CHECK(preflight_fields({kAny, kListed}, asking("https://a.example", "GET")).find("Max-Age: 7") != std::string::npos);
  CHECK(preflight_fields({kListed, kAny}, asking("https://a.example", "POST")).find("Max-Age: 7") != std::string::npos);
}

// The third request of the example in the documentation:
// learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
TEST_CASE("The rule that fits origin and method decides, also if a later one allows the headers") {
  const std::vector<CorsRule> rules = {kListed, kAny};
  CHECK(preflight_fields(rules, asking("https://a.example", "GET", "x-other")) == "CorsPreflightFailure");
  CHECK(preflight_fields(rules, asking("https://c.example", "GET", "x-other")).find("Max-Age: 7") != std::string::npos);
}

TEST_CASE("A preflight without Origin or method is no preflight") {
  for (const Fields& fields :
       {Fields{}, Fields{{"Origin", "https://a.example"}}, Fields{{"Access-Control-Request-Method", "GET"}},
        asking("", "GET"), asking("https://a.example", "")}) {
    try {
      answered({kAny}, fields);
      FAIL("not refused");
    } catch (const ServiceException& refusal) {
      CHECK(refusal.error() == Error{ErrorCode::InvalidHeaderValue, "A required CORS header is not present."});
    }
  }
}

// --- Actual requests
// -----------------------------------------------------------------------------------------

Response entity_response() {
  Response response = table_layer_response(exchange_of(), 200);
  response.add("ETag", "W/\"x\"");
  set_json_body(response, exchange_of(), "{}");
  return response;
}

// What CORS adds to an answer.
std::string added(const Response& answer, const std::vector<CorsRule>& rules, std::string_view method,
                  std::string_view origin) {
  Response response;
  response.status = answer.status;
  response.fields = answer.fields;
  const std::size_t before = response.fields.size();
  add_cors_fields(response, rules, method, origin);
  return response.fields.substr(before);
}

TEST_CASE("Without rules nothing is said") {
  CHECK(added(entity_response(), {}, "GET", "https://a.example") == "");
  CHECK(added(entity_response(), {}, "GET", "") == "");
}

TEST_CASE("A rule for a listed origin names it, and that the answer varies by it") {
  CHECK(added(entity_response(), {kListed}, "GET", "https://a.example") ==
        "Access-Control-Allow-Origin: https://a.example\r\nAccess-Control-Allow-Credentials: true\r\n"
        "Access-Control-Expose-Headers: ETag\r\nVary: Origin\r\n");
  CHECK(added(entity_response(), {kListed}, "PUT", "https://a.example") ==
        "Access-Control-Allow-Origin: https://a.example\r\nAccess-Control-Allow-Credentials: true\r\n"
        "Access-Control-Expose-Headers: ETag\r\n");  // not a read
}

TEST_CASE("Vary: Origin stands in answers to reads that no rule fits, and in no others") {
  for (const std::string_view method : {"GET", "HEAD"}) {
    CHECK(added(entity_response(), {kListed}, method, "https://other.example") == "Vary: Origin\r\n");
    CHECK(added(entity_response(), {kListed}, method, "") == "Vary: Origin\r\n");
  }
  for (const std::string_view method : {"POST", "PUT", "DELETE", "MERGE"}) {
    CHECK(added(entity_response(), {kListed}, method, "https://other.example") == "");
    CHECK(added(entity_response(), {kListed}, method, "") == "");
  }
}

// Recorded from the service, which answers so to clients that send no Origin as well.
TEST_CASE("A rule for every origin exposes the headers of this very answer, framing always both ways") {
  RequestContext context = exchange_of();
  context.client_request_id = "mine";
  const auto exposed = [](const std::string& names) {
    return "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: " + names + "\r\n";
  };
  Response entity = table_layer_response(context, 200);
  entity.add("ETag", "W/\"x\"");
  set_json_body(entity, context, "{}");
  const std::string common =
      "x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,X-Content-Type-Options,Cache-Control,";
  for (const std::string_view origin : {"", "https://a.example"})
    CHECK(added(entity, {kAny}, "GET", origin) ==
          exposed(common + "ETag,Content-Type,Content-Length,Date,Transfer-Encoding"));

  Response page = table_layer_response(context, 200);
  set_json_body(page, context, "{}");
  page.add("x-ms-continuation-NextPartitionKey", "1!4!cGs-");
  page.add("x-ms-continuation-NextRowKey", "1!4!cms-");
  CHECK(added(page, {kAny}, "GET", "") ==
        exposed(common + "x-ms-continuation-NextPartitionKey,x-ms-continuation-NextRowKey,Content-Type,"
                         "Content-Length,Date,Transfer-Encoding"));

  CHECK(added(xml_response(context, "<SignedIdentifiers />"), {kAny}, "GET", "") ==
        exposed("x-ms-request-id,x-ms-client-request-id,Server,x-ms-version,Content-Length,Date,Transfer-"
                "Encoding"));
}

TEST_CASE("Without Origin a rule for every origin counts for reads alone") {
  CHECK(added(entity_response(), {kAny}, "POST", "") == "");
  CHECK(
      added(entity_response(), {kAny}, "POST", "https://a.example").starts_with("Access-Control-Allow-Origin: *\r\n"));
  CHECK(added(entity_response(), {kAny}, "PUT", "https://a.example") == "");
}

TEST_CASE("Exposed headers are names and prefixes, without regard to case; none that the answer lacks") {
  const auto exposed = [](std::vector<std::string> entries) {
    return added(entity_response(), {{{"GET"}, {"*"}, {}, std::move(entries), 0}}, "GET", "");
  };
  CHECK(exposed({}) == "Access-Control-Allow-Origin: *\r\n");
  CHECK(exposed({"Location", "ETa"}) == "Access-Control-Allow-Origin: *\r\n");
  CHECK(exposed({"etag", "DATE"}) == "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: ETag,Date\r\n");
  CHECK(exposed({"X-MS-*"}) ==
        "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: x-ms-request-id,x-ms-version\r\n");
}

TEST_CASE("What a refusal has over an answer is exposed as well") {
  RequestContext context = exchange_of();
  context.version = "2020-12-06";  // older ones have no challenge
  const Response refusal = error_response(ErrorCode::NoAuthenticationInformation, context, ErrorSource::FrontEnd);
  CHECK(added(refusal, {{{"GET"}, {"*"}, {}, {"x-ms-error-*", "www-authenticate"}, 0}}, "GET", "") ==
        "Access-Control-Allow-Origin: *\r\n"
        "Access-Control-Expose-Headers: x-ms-error-code,WWW-Authenticate\r\n");
}

// --- The rules of accounts
// -----------------------------------------------------------------------------------

TEST_CASE("The rules of an account are read once, and again after forget") {
  OpenedStore store({.directory = {}, .in_memory = true});
  CorsRules rules(store);
  CHECK(rules.of("a").empty());
  ServiceProperties properties;
  properties.cors = {kListed};
  store.set_service_properties("a", render_service_properties(properties));
  CHECK(rules.of("a").empty());
  rules.forget("a");
  REQUIRE(rules.of("a").size() == 1);
  CHECK(rules.of("a").front().origins == kListed.origins);
  CHECK(rules.of("b").empty());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
