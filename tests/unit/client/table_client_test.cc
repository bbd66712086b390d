#include "client/table_client.h"

#include <doctest/doctest.h>

#include "client/transfer/entity_source.h"
#include "tests/unit/client/scripted_server.h"

namespace rocktable::TEST_FILE {
namespace {

std::string answer(const std::string& body, const std::string& headers = "") {
  return "HTTP/1.1 200 OK\r\n" + headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

TableClient client_of(const ScriptedServer& server) {
  TableEndpoint endpoint{server.url(), "acct", "a2V5", "", ""};
  endpoint.url.path = "/acct";
  return TableClient(endpoint);
}

}  // namespace

TEST_CASE("a page is split into its entities, whatever their strings contain") {
  const std::string first = R"({"A":"]}{[\"\\","value":"[{"})", second = R"({"B":1})";
  const std::string metadata = R"("odata.metadata":"http://h/$metadata#t")",
                    value = R"("value":[)" + first + " ,\n" + second + " ]";
  for (std::string page : {"{" + metadata + "," + value + "}", "{" + value + ", " + metadata + " }\n"}) {
    const auto entities = split_page(page);
    REQUIRE(entities.has_value());
    CHECK(*entities == std::vector<std::string_view>{first, second});
    const std::string whole = page.substr(0, page.rfind('}'));
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      std::string part = whole.substr(0, size);
      CHECK_MESSAGE(!split_page(part), part);
    }
  }
  const auto split = [](std::string page) { return split_page(page); };
  CHECK(split(R"({"value":[]})")->empty());
  CHECK(split(R"({"a":{"value":[1]},"value":[],"b":[2]})")->empty());
  for (const char* page : {R"({"value":[}]})", R"({"value":{}})", R"({"value":[1]})", R"({"value":[{},[]]})",
                           R"({"a":[]})", R"([{"value":[]}])", R"({"value":[]}{})", R"({"value":[]} x)",
                           R"({"value":[],"value":[]})", "{\"value\":[{\"a\":\"\xFF\"}]}"}) {
    CAPTURE(page);
    CHECK_FALSE(split(page));
  }
}

TEST_CASE("a query continues where the previous page ended") {
  ScriptedServer server(
      {{answer(R"({"value":[{"PartitionKey":"p","RowKey":"r","N":1}]})",
               "x-ms-continuation-NextPartitionKey: 1!4!cA--\r\nx-ms-continuation-NextRowKey: 1!4!cg--\r\n")},
       {answer(R"({"value":[]})")}});
  TableClient client = client_of(server);
  const auto first = client.query("mytable", "N eq 1", 10, {});
  REQUIRE(first.has_value());
  CHECK((*first)->next == EntityContinuation{"1!4!cA--", "1!4!cg--"});
  REQUIRE((*first)->entities.size() == 1);
  const Entity entity = read_page_entity((*first)->entities[0]).value();
  CHECK(entity.key == EntityKey{"p", "r"});
  CHECK(entity.properties == Properties{{"N", std::int32_t{1}}});
  const auto second = client.query("mytable", "", 10, (*first)->next);
  REQUIRE(second.has_value());
  CHECK((*second)->next.empty());
  CHECK(server.requests()[0].starts_with("GET /acct/mytable()?$top=10&$filter=N%20eq%201 HTTP/1.1\r\n"));
  CHECK(server.requests()[1].starts_with(
      "GET /acct/mytable()?$top=10&NextPartitionKey=1%214%21cA--&NextRowKey=1%214%21cg-- HTTP/1.1\r\n"));
  CHECK(server.requests()[0].find("\r\nAuthorization: SharedKey acct:") != std::string::npos);
}

TEST_CASE("reading a table ends with an error if a continuation token repeats") {
  const std::string page =
      answer(R"({"value":[{"PartitionKey":"p","RowKey":"r"}]})",
             "x-ms-continuation-NextPartitionKey: 1!4!cA--\r\nx-ms-continuation-NextRowKey: 1!4!cg--\r\n");
  ScriptedServer server({{page}, {page}, {page}, {page}});
  TableSource source(client_of(server), "mytable", "", {.attempts = 1}, [](auto&, auto) { return false; });
  CHECK(source.next().has_value());
  CHECK_THROWS_WITH_AS(source.next(), doctest::Contains("the server returned the same continuation token again"),
                       std::runtime_error);
}

TEST_CASE("an entity that was read has its ETag, if that contains a time") {
  const auto etag_in = [](const std::string& members) {
    return known_etag(read_page_entity(R"({"PartitionKey":"p","RowKey":"r")" + members + "}").value());
  };
  const std::string etag = R"(W/"datetime'2026-11-21T08%3A30%3A00.5Z'")";
  const std::string member = R"(,"odata.etag":"W/\"datetime'2026-11-21T08%3A30%3A00.5Z'\"")";
  CHECK(etag_in(member) == etag);
  CHECK(etag_in(R"(,"A":"\"odata.etag\":\"W/\\\"datetime'2020-01-01T00%3A00%3A00Z'\\\"\"")" + member) == etag);
  CHECK(etag_in("").empty());
  CHECK(etag_in(R"(,"odata.etag":"W/\"0x8D\"")").empty());
  CHECK(etag_in(R"(,"odata.etag":"W/\"datetime'")").empty());
}

TEST_CASE("deletions and replacements have the key in the URL") {
  const std::string done = "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n";
  ScriptedServer server({{done}, {done}, {done}, {done}});
  TableClient client = client_of(server);
  const SerializedEntity any{{"p", "r"}, "", ""}, one{{"p", "r"}, "{}", "W/\"1\""};
  CHECK(client.write("mytable", WriteMode::Delete, {&any, 1}).has_value());
  CHECK(client.write("mytable", WriteMode::Delete, {&one, 1}).has_value());
  CHECK(client.write("mytable", WriteMode::Replace, {&one, 1}).has_value());
  CHECK(client.delete_table("mytable").has_value());
  const auto& sent = server.requests();
  REQUIRE(sent.size() == 4);
  CHECK(sent[0].starts_with("DELETE /acct/mytable(PartitionKey='p',RowKey='r') HTTP/1.1\r\n"));
  CHECK(sent[0].find("\r\nIf-Match: *\r\n") != std::string::npos);
  CHECK(sent[1].find("\r\nIf-Match: W/\"1\"\r\n") != std::string::npos);
  CHECK(sent[2].starts_with("PUT /acct/mytable(PartitionKey='p',RowKey='r') HTTP/1.1\r\n"));
  CHECK(sent[2].find("\r\nIf-Match: W/\"1\"\r\n") != std::string::npos);
  CHECK(sent[3].starts_with("DELETE /acct/Tables('mytable') HTTP/1.1\r\n"));
}

TEST_CASE("malformed responses are errors, not empty pages") {
  for (const std::string& body :
       {std::string(), std::string("[]"), std::string(R"({"value":3})"), std::string(100'000, '[')}) {
    ScriptedServer server({{answer(body)}, {answer(body)}});
    TableClient client = client_of(server);
    CHECK(client.query("mytable", "", 10, {}).has_error());
    CHECK(client.list_tables("").has_error());
  }
  CHECK(read_page_entity(R"({"PartitionKey":"p"})").has_error());
}

TEST_CASE("a large integer without a type is a Double, as emulators in JavaScript write it") {
  const auto read = [](const std::string& members) {
    return read_page_entity(R"({"PartitionKey":"p","RowKey":"1000000000000000",)" + members + "}");
  };
  struct {
    std::string text;
    Value value;
  } cases[] = {
      {"1000000000000000", 1e15},
      {"-2147483649", -2147483649.0},
      {"100000000000000000000", 1e20},
      {"2147483647", std::int32_t{2147483647}},
      {R"("2147483648\\")", std::string("2147483648\\")},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto entity = read(R"("A":)" + c.text + R"(,"B":2147483648)");
    REQUIRE(entity.has_value());
    CHECK(entity->properties == Properties{{"A", c.value}, {"B", 2147483648.0}});
    CHECK(entity->key.row_key == "1000000000000000");
  }
  CHECK(read(R"("A@odata.type":"Edm.Int32","A":2147483648)").has_error());
  CHECK(read(R"("A":"\)").has_error());
}

TEST_CASE("an error has the code and the Retry-After of the response") {
  ScriptedServer server(
      {{"HTTP/1.1 503 Busy\r\nRetry-After: 7\r\nx-ms-error-code: ServerBusy\r\nContent-Length: 0\r\n\r\n"},
       {"HTTP/1.1 301 Moved\r\nLocation: http://h/\r\nContent-Length: 0\r\n\r\n"}});
  TableClient client = client_of(server);
  const TableError busy = client.create_table("mytable").error();
  CHECK(busy.code == "ServerBusy");
  CHECK(busy.retry_after == std::chrono::seconds(7));
  CHECK(client.create_table("mytable").error().status == 301);
}

TEST_CASE("with a shared access signature no other credentials are sent") {
  ScriptedServer server({{answer(R"({"value":[]})")}});
  TableEndpoint endpoint{server.url(), "acct", "", "sv=1&sig=x%2B", ""};
  TableClient client(endpoint);
  CHECK(client.query("mytable", "", 1, {}).has_value());
  CHECK(server.requests()[0].starts_with("GET /mytable()?$top=1&sv=1&sig=x%2B HTTP/1.1\r\n"));
  CHECK(server.requests()[0].find("Authorization") == std::string::npos);
}

}  // namespace rocktable::TEST_FILE
