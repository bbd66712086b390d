// Transactions as the library of the C++ SDK sends them: its text is wrong in several ways, and the service takes it.
// The forms of requests and answers are recorded from the service.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "client/connection_string.h"
#include "client/signing.h"
#include "tests/unit/server/running_server.h"

namespace rocktable::TEST_FILE {
namespace {

// A part ends with the JSON itself, and the next delimiter follows in the same line.
std::string insert_step(const std::string& table, std::string_view row) {
  return "POST " + table +
         " HTTP/1.1\nContent-Type: application/json\nAccept: application/json;odata=minimalmetadata\n"
         "Prefer: return-no-content\nDataServiceVersion: 3.0;\n\n{\"PartitionKey\":\"Fruit\",\"RowKey\":\"" +
         std::string(row) + "\",\"Size\":\"small\"}";
}

std::string entity_of(const std::string& table, std::string_view row) {
  return table + "(PartitionKey='Fruit',RowKey='" + std::string(row) + "')";
}

std::string update_step(std::string_view method, const std::string& table, std::string_view row,
                        std::string_view condition) {
  return std::string(method) + " " + entity_of(table, row) +
         " HTTP/1.1\nContent-Type: application/json\nAccept: application/json;odata=minimalmetadata\n"
         "DataServiceVersion: 3.0;\n" +
         std::string(condition) + "\n{\"PartitionKey\":\"Fruit\",\"RowKey\":\"" + std::string(row) +
         "\",\"Size\":\"large\"}\n";
}

std::string delete_step(const std::string& table, std::string_view row) {
  return "DELETE " + entity_of(table, row) +
         " HTTP/1.1\nAccept: application/json;odata=minimalmetadata\nDataServiceVersion: 3.0;\nIf-Match: "
         "*\n\n";
}

// A header lacks its line break, and the body is missing.
std::string insert_or_replace_step(const std::string& table, std::string_view row) {
  return "PATCH " + entity_of(table, row) +
         " HTTP/1.1\nContent-Type: application/json\nContent-Length: 69Accept: "
         "application/json;odata=minimalmetadata\nPrefer: return-no-content\nDataServiceVersion: "
         "3.0;\nIf-Match: "
         "*\n\n\n";
}

class Client {
 public:
  // Submits steps as one transaction. Returns its response without ids, times and generated boundaries.
  std::string submit(const std::vector<std::string>& steps) {
    // Every line ends with a line feed alone, and the last delimiter lacks its hyphens.
    std::string body = "--batch_1\nContent-Type: multipart/mixed; boundary=changeset_1\n\n";
    for (const std::string& step : steps)
      body += "--changeset_1\nContent-Type: application/http\nContent-Transfer-Encoding: binary\n\n" + step;
    body += steps.empty() || steps.back().ends_with('\n') ? "\n" : "\n\n";
    const HttpResponse answer =
        send("POST", "/$batch", body + "--changeset_1--\n--batch_1\n", "multipart/mixed; boundary=batch_1");
    CHECK(answer.status == 202);
    return answer.body;
  }

  HttpResponse send(std::string_view method, std::string_view resource, const std::string& body = {},
                    std::string_view type = "application/json") {
    HttpRequest request{std::string(method), endpoint_.url.path + std::string(resource), {}, body};
    request.headers.add("Accept", "application/json;odata=nometadata");
    request.headers.add("x-ms-version", "2019-02-02");
    request.headers.add("x-ms-date", http_date());
    if (!body.empty()) request.headers.add("Content-Type", type);
    add_shared_key(request, endpoint_.account_name, key_, body.empty() ? std::string_view() : type);
    return http_.send(request);
  }

  std::string size_of(std::string_view row) {
    const std::string& text = send("GET", entity_of("/basket", row)).body;
    const auto at = text.find("\"Size\":\"");
    return at == text.npos ? "absent" : text.substr(at + 8, text.find('"', at + 8) - at - 8);
  }

  // The URL of the table, as the parts name it.
  std::string table() const { return endpoint_.address() + "/basket"; }

 private:
  RunningServer server_;
  TableEndpoint endpoint_ = parse_connection_string(server_.connection_string());
  AccountKey key_{endpoint_.account_key};
  HttpClient http_{endpoint_.url};
};

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

TEST_CASE("Transactions of the C++ library are executed") {
  Client client;
  REQUIRE(client.send("POST", "/Tables", R"({"TableName":"basket"})").status == 201);
  const std::string table = client.table();

  const std::string inserted = client.submit({insert_step(table, "apple"), insert_step(table, "pear")});
  CHECK(count(inserted,
              "HTTP/1.1 204 No Content\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
              "Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\nLocation: ") == 2);
  CHECK(client.size_of("apple") == "small");
  CHECK(client.size_of("pear") == "small");

  CHECK(count(client.submit({update_step("PUT", table, "apple", "If-Match: *\n")}), "204 No Content") == 1);
  CHECK(count(client.submit({update_step("MERGE", table, "pear", ""), delete_step(table, "apple")}),
              "204 No Content") == 2);
  CHECK(client.size_of("apple") == "absent");
  CHECK(client.size_of("pear") == "large");
}

TEST_CASE("A transaction of the C++ library with one row twice is refused with the index of the second") {
  Client client;
  REQUIRE(client.send("POST", "/Tables", R"({"TableName":"basket"})").status == 201);
  const std::string refused =
      client.submit({insert_step(client.table(), "apple"), insert_step(client.table(), "apple")});
  CHECK(count(refused,
              "HTTP/1.1 400 Bad Request\r\nX-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"
              "Preference-Applied: return-no-content\r\nDataServiceVersion: 3.0;\r\n") == 1);
  CHECK(count(refused, R"({"odata.error":{"code":"InvalidDuplicateRow","message":{"lang":"en-US","value":"1:The )") ==
        1);
  CHECK(client.size_of("apple") == "absent");
}

TEST_CASE("The insert-or-replace of the C++ library is refused in XML, and nothing is written") {
  Client client;
  REQUIRE(client.send("POST", "/Tables", R"({"TableName":"basket"})").status == 201);
  client.submit({insert_step(client.table(), "apple")});
  for (const std::string_view row : {"apple", "plum"}) {
    CAPTURE(row);
    const std::string refused = client.submit({insert_or_replace_step(client.table(), row)});
    CHECK(count(refused,
                "HTTP/1.1 400 Bad Request\r\nDataServiceVersion: 1.0;\r\nContent-Type: "
                "application/xml;charset=utf-8\r\n\r\n<?xml version=\"1.0\" encoding=\"utf-8\"?><error "
                "xmlns=\"http://schemas.microsoft.com/ado/2007/08/dataservices/"
                "metadata\"><code>InvalidInput</code>"
                "<message xml:lang=\"en-US\">An error occurred while processing this request.\nRequestId:") == 1);
  }
  CHECK(client.size_of("apple") == "small");
  CHECK(client.size_of("plum") == "absent");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
