#include "client/change_set.h"

#include <doctest/doctest.h>

#include "odata/protocol/multipart.h"

namespace rocktable::TEST_FILE {
namespace {

const std::string kAddress = "http://127.0.0.1:10002/devstoreaccount1";

std::vector<SerializedEntity> writes(int count) {
  std::vector<SerializedEntity> out;
  for (int i = 0; i < count; ++i)
    out.push_back({{"it's %", std::to_string(i)}, R"({"A":"--changeset_rocktable\r\n"})"});
  return out;
}

std::string response_of(const std::vector<std::string_view>& parts) {
  BatchResponseWriter response("batchresponse_1", "changesetresponse_1");
  for (const auto part : parts) response.add_part() += part;
  return response.finish();
}

constexpr std::string_view kWritten = "HTTP/1.1 204 No Content\r\nETag: W/\"1\"\r\n\r\n";

}  // namespace

TEST_CASE("the server parses a transaction to the same writes") {
  struct {
    WriteMode mode;
    std::string method, target;
  } cases[] = {
      {WriteMode::Insert, "POST", kAddress + "/mytable"},
      {WriteMode::Replace, "PUT", kAddress + "/mytable(PartitionKey='it''s%20%25',RowKey='0')"},
      {WriteMode::Merge, "MERGE", kAddress + "/mytable(PartitionKey='it''s%20%25',RowKey='0')"},
  };
  for (const auto& c : cases) {
    const auto sent = writes(3);
    const std::string body = write_transaction(kAddress, "mytable", c.mode, sent);
    const auto read = parse_batch(transaction_content_type(), body);
    REQUIRE(read.has_value());
    CHECK(read->change_set);
    REQUIRE(read->parts.size() == sent.size());
    CHECK(read->parts[0].head->method == c.method);
    CHECK(read->parts[0].head->target == c.target);
    CHECK(read->parts[0].head->headers->get("Prefer") == "return-no-content");
    for (std::size_t i = 0; i < sent.size(); ++i) CHECK(read->parts[i].body == sent[i].body);
  }
}

TEST_CASE("deletions and conditional writes are sent with If-Match") {
  std::vector<SerializedEntity> sent = writes(2);
  sent[1].if_match = "W/\"1\"";
  const std::string merges = write_transaction(kAddress, "mytable", WriteMode::Merge, sent);
  const auto read = parse_batch(transaction_content_type(), merges);
  REQUIRE(read.has_value());
  CHECK_FALSE(read->parts[0].head->headers->has("If-Match"));
  CHECK(read->parts[1].head->headers->get("If-Match") == "W/\"1\"");
  for (auto& one : sent) one.body.clear();
  const std::string deletions = write_transaction(kAddress, "mytable", WriteMode::Delete, sent);
  const auto deleted = parse_batch(transaction_content_type(), deletions);
  REQUIRE(deleted.has_value());
  REQUIRE(deleted->parts.size() == 2);
  CHECK(deleted->parts[0].head->method == "DELETE");
  CHECK(deleted->parts[0].head->headers->get("If-Match") == "*");
  CHECK(deleted->parts[1].head->headers->get("If-Match") == "W/\"1\"");
  CHECK(deleted->parts[1].body.empty());
}

TEST_CASE("a transaction is never longer than the sum of bytes_in_transaction()") {
  for (const WriteMode mode : {WriteMode::Insert, WriteMode::Replace, WriteMode::Merge, WriteMode::Delete}) {
    auto sent = writes(100);
    sent[7].key.row_key = "\u4e2d%' ";
    sent[8].body.assign(100'000, 'x');
    for (auto& one : sent) one.if_match = "W/\"datetime'2026-11-21T08%3A30%3A00.5Z'\"";
    const std::string table(63, 't');
    std::size_t bytes = 1024;
    for (const auto& write : sent) bytes += bytes_in_transaction(write, kAddress);
    CHECK(write_transaction(kAddress, table, mode, sent).size() <= bytes);
  }
}

TEST_CASE("the response to a transaction is success, or the error and the index of the failed write") {
  CHECK(read_transaction_response(response_of({kWritten, kWritten}), 2).has_value());
  const std::string refused =
      "HTTP/1.1 409 Conflict\r\nContent-Type: application/json\r\n\r\n"
      R"({"odata.error":{"code":"EntityAlreadyExists","message":{"lang":"en-US","value":"3:The entity exists.\nRequestId:1\nTime:2"}}})";
  const TableError error = read_transaction_response(response_of({refused}), 4).error();
  CHECK(error.status == 409);
  CHECK(error.code == "EntityAlreadyExists");
  CHECK(error.message == "The entity exists.");
  CHECK(error.position == 3u);
  CHECK(error.sentence() == "The entity exists. (409 EntityAlreadyExists)");
}

TEST_CASE("a malformed response to a transaction is an error") {
  const std::string whole = response_of({kWritten, kWritten});
  CHECK_FALSE(read_transaction_response(whole, 3).has_value());
  CHECK_FALSE(read_transaction_response(whole, 1).has_value());
  CHECK_FALSE(read_transaction_response("", 1).has_value());
  CHECK_FALSE(read_transaction_response("\nHTTP/1.1 ", 1).has_value());
  CHECK_FALSE(read_transaction_response("\nHTTP/1.1 xyz", 1).has_value());
  for (std::size_t size = 0; size < whole.find("204", whole.rfind("HTTP/1.1")); ++size)
    CHECK_FALSE(read_transaction_response(whole.substr(0, size), 2).has_value());
}

TEST_CASE("errors are parsed from JSON, from XML, and from neither") {
  const TableError json =
      read_error(404, R"({"odata.error":{"code":"TableNotFound","message":{"value":"12 is gone."}}})");
  CHECK(json.sentence() == "12 is gone. (404 TableNotFound)");
  CHECK_FALSE(json.position);
  const TableError xml =
      read_error(403,
                 "\xEF\xBB\xBF<?xml version=\"1.0\"?><Error><Code>AuthenticationFailed</Code><Message>Wrong "
                 "key.\nTime:1</Message></Error>");
  CHECK(xml.sentence() == "Wrong key. (403 AuthenticationFailed)");
  const TableError atom =
      read_error(400, "<m:error xmlns:m=\"x\"><m:code>A</m:code><m:message xml:lang=\"en\">B</m:message></m:error>");
  CHECK(atom.sentence() == "B (400 A)");
  for (const std::string_view body : {"", "busy", "{", "[]", R"({"odata.error":3})", "<Code>", "<Code"})
    CHECK(read_error(502, body).sentence() == "the response has no error message (502)");
}

}  // namespace rocktable::TEST_FILE
