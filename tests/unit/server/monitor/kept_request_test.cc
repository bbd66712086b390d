// What the document of a request tells, and that texts of any size are cut.
#include "server/monitor/kept_request.h"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "server/monitor/batch_operations.h"
#include "tests/unit/server/monitor/sent_request.h"

namespace rocktable::TEST_FILE {
namespace {

nlohmann::json document(const SentRequest& sent, bool with_details = false) {
  nlohmann::json out;
  with_event(sent, [&](const RequestEvent& event) {
    const RecordSource source(event, true);
    REQUIRE(source.size() <= kMaxRecordBytes);
    const auto bytes = std::make_unique<char[]>(source.size());
    source.write(bytes.get(), 42);
    out = nlohmann::json::parse(KeptRequest(*reinterpret_cast<const RequestRecord*>(bytes.get())).json(with_details));
  });
  return out;
}

const char* const kBatch =
    "--batch_1\r\nContent-Type: multipart/mixed; boundary=changeset_1\r\n\r\n"
    "--changeset_1\r\nContent-Type: application/http\r\n\r\n"
    "POST http://127.0.0.1:10002/one/orders?sig=secret HTTP/1.1\r\nContent-Type: application/json\r\n\r\n"
    "{\"PartitionKey\":\"de\",\"RowKey\":\"1\"}\r\n"
    "--changeset_1\r\nContent-Type: application/http\r\n\r\n"
    "DELETE http://127.0.0.1:10002/one/orders(PartitionKey='de',RowKey='2') HTTP/1.1\r\nIf-Match: *\r\n\r\n\r\n"
    "--changeset_1--\r\n--batch_1--\r\n";

TEST_CASE("a batch is told as its operations") {
  const SentRequest sent{.target = "/one/$batch",
                         .method = "POST",
                         .operation = "Batch",
                         .body = kBatch,
                         .response_body = "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"};
  const auto told = document(sent);
  CHECK(told.at("operationCount") == 2);
  CHECK(told.at("operations") == nlohmann::json::parse(R"json([
      {"method": "POST", "target": "/one/orders?sig=***", "partitionKey": "de", "rowKey": "1", "status": 204},
      {"method": "DELETE", "target": "/one/orders(PartitionKey='de',RowKey='2')", "status": 204}])json"));
}

TEST_CASE("of a change set that failed, the operation that was refused has the status") {
  const auto operations = batch_operations(
      kBatch, "HTTP/1.1 404 Not Found\r\n\r\n{\"odata.error\":{\"message\":{\"value\":\"1:Not there.\"}}}");
  REQUIRE(operations.size() == 2);
  CHECK(operations[0].status == 0);
  CHECK(operations[1].status == 404);
}

TEST_CASE("the beginning of a batch, and bytes that are none, are accepted") {
  const std::string_view whole(kBatch);
  for (std::size_t length = 0; length <= whole.size(); ++length)
    CHECK(batch_operations(whole.substr(0, length), whole).size() <= 2);
  CHECK(
      batch_operations("POST HTTP/1.1\r\nPOST  HTTP/1.1\r\nGET :// HTTP/1.1\r\n{\r\n{\"PartitionKey\":1}", "HTTP/1.1 ")
          .size() <= 3);
}

TEST_CASE("an insert is told with its keys") {
  const SentRequest sent{
      .method = "POST", .operation = "InsertEntity", .body = R"({"PartitionKey": "de", "RowKey": "7", "A": 1})"};
  CHECK(document(sent).at("partitionKey") == "de");
  CHECK(document(sent).at("rowKey") == "7");
  CHECK_FALSE(document({.operation = "InsertEntity", .body = "{\"PartitionKey\": \"d"}).contains("partitionKey"));
}

TEST_CASE("long texts are cut, and what follows them is whole") {
  const SentRequest sent{.account = std::string(5'000, 'a'),
                         .target = "/one/" + std::string(50'000, 'x') + "?sig=secret",
                         .body = std::string(500'000, 'b'),
                         .response_body = std::string(500'000, 'r')};
  const auto told = document(sent, true);
  CHECK(told.at("account").get<std::string>().size() == RecordLimits::kText);
  CHECK(told.at("target").get<std::string>().size() == RecordLimits::kTarget);
  CHECK(told.at("method") == "GET");
  CHECK(told.at("client") == "tester/1");
  CHECK(told.at("requestBody").get<std::string>().size() == RecordLimits::kRequestBody);
  CHECK(told.at("bytesReceived") == 500'000);
  CHECK(document({.method = std::string(70'000, 'M')}).at("method").get<std::string>().size() == RecordLimits::kText);
}

TEST_CASE("texts of each short length are copied whole") {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string account = std::string("abcdefghijklmnopqrstuvwxyz0123456789ABCDEF").substr(0, length);
    CHECK(document({.account = account}).at("account") == account);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
