// Access as the wire shows it, without sockets: bearer tokens over HTTPS, and explanations.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "odata/protocol/development_account.h"
#include "server/emulator.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string token(const std::string& audience, std::int64_t seconds_from_now) {
  const std::int64_t now_seconds = (now().ticks - kUnixEpoch.ticks) / kTicksPerSecond;
  const std::string payload = R"({"iss":"https://sts.windows.net/t/","nbf":0,"iat":0,"aud":")" + audience +
                              R"(","exp":)" + std::to_string(now_seconds + seconds_from_now) + "}";
  std::string out = encode_base64(payload);
  for (char& c : out) c = c == '+' ? '-' : c == '/' ? '_' : c;
  return "Bearer " + encode_base64("{}") + "." + out + ".";
}

// Made when the tests begin, and so valid for longer than all of them take on a slow machine.
const std::string kGood = token("https://storage.azure.com/", 3600);

// A service of its own for each test, in memory.
class Tables {
 public:
  explicit Tables(const ServiceOptions& options) : emulator_(store_, accounts(), {.service = options}) {}

  Response ask(const std::string& method, const std::string& resource, const std::string& authorization,
               const std::string& body = "", const Fields& more = {}) {
    const std::string target = "/" + std::string(kDevelopmentAccount) + resource;
    Request request{method, target, {}, &body, "127.0.0.1"};
    for (const auto& [name, value] : more) request.headers.add(name, value);
    request.headers.add("Host", "127.0.0.1:10002");
    request.headers.add("Accept", resource.find("comp=") == resource.npos ? "application/json" : "application/xml");
    if (!body.empty()) request.headers.add("Content-Type", "application/json");
    if (!authorization.empty()) request.headers.add("Authorization", authorization);
    CallHolder call;
    emulator_.service().accept(request, call);
    MemoryBudget answers(256 << 20);
    MemoryBudget::Share memory(answers);
    Response response = call->run(false, memory);
    explanation = response.explanation;
    return response;
  }

  std::string explanation;  // of the last answer

 private:
  static Accounts accounts() { return {{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}}; }

  OpenedStore store_{{.directory = {}, .in_memory = true}};
  Emulator emulator_;
};

const ServiceOptions kBearer{.secure = true, .tokens = {.accepted = true}};

bool has_line(const Response& response, const std::string& line) {
  return ("\r\n" + response.fields).find("\r\n" + line) != std::string::npos;
}

// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory; recorded from the
// service for all but the batch.
TEST_CASE("With a bearer token data and service properties are served") {
  Tables tables(kBearer);
  const std::string entity = R"({"PartitionKey":"p","RowKey":"r"})", one = "/t1x(PartitionKey='p',RowKey='r')";
  CHECK(tables.ask("POST", "/Tables", kGood, R"({"TableName":"t1x"})").status == 201);
  CHECK(tables.ask("GET", "/Tables", kGood).status == 200);
  CHECK(tables.ask("POST", "/t1x", kGood, entity).status == 201);
  CHECK(tables.ask("PUT", one, kGood, R"({"A":1})").status == 204);
  CHECK(tables.ask("MERGE", one, kGood, R"({"B":1})").status == 204);
  CHECK(tables.ask("GET", one, kGood).status == 200);
  CHECK(tables.ask("GET", "/t1x()", kGood).status == 200);
  CHECK(tables.ask("DELETE", one, kGood, "", {{"If-Match", "*"}}).status == 204);
  CHECK(tables.ask("GET", "/?restype=service&comp=properties", kGood).status == 200);
  CHECK(tables
            .ask("PUT", "/?restype=service&comp=properties", kGood,
                 "<StorageServiceProperties><Cors /></StorageServiceProperties>")
            .status == 202);
  CHECK(tables.ask("DELETE", "/Tables('t1x')", kGood).status == 204);
}

// Recorded from the service.
TEST_CASE("To a bearer token access policies are not there, whether the table is or not") {
  Tables tables(kBearer);
  tables.ask("POST", "/Tables", kGood, R"({"TableName":"there"})");
  for (const char* resource : {"/there?comp=acl", "/absent?comp=acl"}) {
    for (const auto& [method, body] : {std::pair{"GET", ""}, {"PUT", "<SignedIdentifiers />"}}) {
      const Response response = tables.ask(method, resource, kGood, body);
      CHECK(response.status == 404);
      CHECK(response.reason == "The specified resource does not exist.");
      CHECK(has_line(response, "x-ms-error-code: ResourceNotFound\r\n"));
      CHECK(has_line(response, "Content-Type: application/xml\r\n"));
      CHECK(has_line(response, "x-ms-version: "));
      CHECK(response.body.find("<m:code>ResourceNotFound</m:code>") != std::string::npos);
    }
  }
}

TEST_CASE("A token whose claims do not fit is answered with the challenge, one that is none is not") {
  Tables tables(kBearer);
  for (const std::string& authorization :
       {token("https://storage.azure.com", -1), token("https://graph.windows.net", 60)}) {
    const Response response = tables.ask("GET", "/Tables", authorization);
    CHECK(response.status == 401);
    CHECK(has_line(response, "x-ms-error-code: InvalidAuthenticationInfo\r\n"));
    CHECK(has_line(response, "WWW-Authenticate: Bearer authorization_uri=https://login.microsoftonline.com/"));
    CHECK(response.body.starts_with(R"({"odata.error":{"code":"InvalidAuthenticationInfo",)"));
  }
  const Response malformed = tables.ask("GET", "/Tables", "Bearer x");
  CHECK(malformed.status == 403);
  CHECK(has_line(malformed, "x-ms-error-code: AuthenticationFailed\r\n"));
  CHECK_FALSE(has_line(malformed, "WWW-Authenticate"));
}

// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory
TEST_CASE("Bearer tokens need version 2017-11-09") {
  Tables tables(kBearer);
  CHECK(tables.ask("GET", "/Tables", kGood, "", {{"x-ms-version", "2017-11-09"}}).status == 200);
  CHECK(tables.ask("GET", "/Tables", kGood, "", {{"x-ms-version", "2017-07-29"}}).status == 403);
  CHECK(tables.ask("GET", "/Tables?api-version=2017-07-29", kGood).status == 403);
}

TEST_CASE("Bearer tokens are refused over HTTP, and where nobody asked for them") {
  for (const ServiceOptions& options :
       {ServiceOptions{.secure = false, .tokens = {.accepted = true}}, ServiceOptions{.secure = true}}) {
    Tables tables(options);
    CHECK(tables.ask("GET", "/Tables", kGood).status == 403);
  }
}

TEST_CASE("Refusals of access say why where that is asked for, other answers never") {
  ServiceOptions options = kBearer;
  options.requests.bytes = 0;  // what is kept of requests has explanations, too
  for (const bool explain : {false, true}) {
    options.explain_auth = options.explain_headers = explain;
    Tables tables(options);
    const std::pair<std::string, Response> refusals[] = {
        {"no credentials", tables.ask("GET", "/Tables", "")},
        {"expired", tables.ask("GET", "/Tables", token("https://storage.azure.com", -1))},
        {"2017-11-09", tables.ask("GET", "/Tables", kGood, "", {{"x-ms-version", "2017-07-29"}})},
        {"does not give access to access policies", tables.ask("GET", "/t1x?comp=acl", kGood)},
        {"is read-only", tables.ask("POST", "-secondary/Tables", kGood, R"({"TableName":"t1x"})")},
        {"No CORS rule",
         tables.ask("OPTIONS", "/t1x", "", "", {{"Origin", "http://o"}, {"Access-Control-Request-Method", "GET"}})},
        {"There is no account", tables.ask("GET", "x/Tables", kGood)},
        {"There is no account", tables.ask("OPTIONS", "x/Tables", "", "", {{"Origin", "http://o"}})},
    };
    for (const auto& [why, response] : refusals) {
      CAPTURE(why);
      CAPTURE(response.fields);
      CHECK(response.status >= 401);
      const auto at = response.fields.find("x-rocktable-explain: ");
      CHECK((at != std::string::npos) == explain);
      if (explain) CHECK(response.fields.find(why, at) != std::string::npos);
    }
    CHECK((tables.explanation != "") == explain);
    for (const Response& response :
         {tables.ask("GET", "/Tables", kGood), tables.ask("GET", "/absent()", kGood),
          tables.ask("PATCH", "/Tables", kGood), tables.ask("GET", "/Tables?$top=x", kGood)}) {
      CHECK_FALSE(has_line(response, "x-rocktable-explain"));
      CHECK(tables.explanation == "");
    }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
