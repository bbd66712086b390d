// The document of logs: shapes, findings, money, what is skipped; in bounded memory.
#include "server/logs/log_insight.h"

#include <doctest/doctest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "client/report/insight_report.h"
#include "client/report/transactions.h"

namespace rocktable::TEST_FILE {
namespace {

struct Record {
  std::string operation = "QueryEntities", url = "https://shop.table.core.windows.net/orders()?$filter=Age%20gt%201";
  std::string status = "Success", http = "200", service = "table", id = "", number = "0";
  std::string time = "2026-11-26T10:00:00.0000000Z";
};

class Logs {
 public:
  void add(const Record& record) {
    LogEntry entry;
    entry.set(LogField::Time, record.time);
    entry.set(LogField::OperationName, record.operation);
    entry.set(LogField::Status, record.status);
    entry.set(LogField::HttpStatus, record.http);
    entry.set(LogField::Service, record.service);
    entry.set(LogField::Account, "shop");
    entry.set(LogField::Url, record.url);
    entry.set(LogField::RequestId, record.id);
    entry.set(LogField::OperationNumber, record.number);
    CHECK(insight_->add(entry) == "");
  }

  nlohmann::json document() const { return insight_->document(); }
  InsightReport report() const { return parse_insight_report(document()); }
  LogInsight& insight() { return *insight_; }

 private:
  std::unique_ptr<LogInsight> insight_ = std::make_unique<LogInsight>();
};

}  // namespace

TEST_CASE("a scan is a finding, without numbers of entities") {
  Logs logs;
  logs.add({});
  logs.add({.time = "2026-11-26T11:00:00Z"});
  const InsightReport report = logs.report();
  REQUIRE(report.shapes.size() == 1);
  const ShapeStatistics& shape = report.shapes.front();
  CHECK(shape.plan == "table-scan");
  CHECK(shape.fingerprint == "Age gt ?");
  CHECK(shape.requests == 2);
  CHECK_FALSE(shape.counts_entities);
  CHECK(shape.example == "GET /orders()?$filter=Age%20gt%201");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings.front().id == "table-scan");
  CHECK(report.findings.front().sentence == "The service searches the whole table: 2 requests.");
  CHECK(report.since == "2026-11-26T10:00:00Z");
  CHECK(report.until == "2026-11-26T11:00:00Z");
  for (const char* const name : {"entitiesScanned", "entitiesReturned", "entitiesWritten", "bytesRead"})
    CHECK_FALSE(logs.document()["shapes"][0].contains(name));
  CHECK_FALSE(logs.document().contains("minutes"));
}

TEST_CASE("what one program does in one partition is found as on a server") {
  Logs logs;
  for (int row = 0; row < 25; ++row)
    logs.add(
        {.operation = "QueryEntity",
         .url = "https://shop.table.core.windows.net/orders(PartitionKey='de',RowKey='" + std::to_string(row) + "')"});
  REQUIRE(logs.report().findings.size() == 1);
  CHECK(logs.report().findings.front().id == "n-plus-one");
  CHECK(logs.report().findings.front().count == 25);
}

TEST_CASE("the class is that of the service: an `or` of RowKeys scans the partition") {
  Logs logs;
  logs.add({.url = "https://shop.table.core.windows.net/orders()?$filter=PartitionKey%20eq%20'de'%20and%20"
                   "(RowKey%20eq%20'1'%20or%20RowKey%20eq%20'2')"});
  const InsightReport report = logs.report();
  CHECK(report.shapes.at(0).plan == "partition-scan");
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].id == "or-across-rows");
}

TEST_CASE("the advice names keys, and no numbers that nobody counted") {
  Logs logs;
  logs.add({});
  const auto design = logs.document()["findings"][0]["design"];
  CHECK(design["sentence"].get<std::string>().find("PartitionKey `Age`") != std::string::npos);
  CHECK(design["sentence"].get<std::string>().ends_with("A query then reads about as many entities as it returns."));
}

TEST_CASE("entities that are read again, that are missing, and updates that are refused are found") {
  const std::string entity = "https://shop.table.core.windows.net/orders(PartitionKey='de',RowKey='1')";
  const auto only_finding = [&](const Record& record, int times) {
    Logs logs;
    for (int i = 0; i < times; ++i) logs.add(record);
    const InsightReport report = logs.report();
    REQUIRE(report.findings.size() == 1);
    return report.findings[0].id;
  };
  CHECK(only_finding({.operation = "QueryEntity", .url = entity}, 100) == "repeated-reads");
  CHECK(only_finding({.operation = "QueryEntity", .url = entity, .status = "ResourceNotFound", .http = "404"}, 30) ==
        "missing-reads");
  CHECK(only_finding({.operation = "MergeEntity", .url = entity, .status = "ConditionNotMet", .http = "412"}, 30) ==
        "refused-updates");
}

TEST_CASE("where reads and writes are in files of their own, nobody knows what was between two reads") {
  const std::string entity = "https://shop.table.core.windows.net/orders(PartitionKey='de',RowKey='1')";
  const auto minute = [](int i) {
    return "2026-11-26T10:" + std::to_string(10 + i / 2) + ":" + (i % 2 ? "30Z" : "00Z");
  };
  Logs logs;
  for (int i = 0; i < 90; ++i) logs.add({.operation = "QueryEntity", .url = entity, .time = minute(i)});
  CHECK(logs.report().findings.at(0).id == "repeated-reads");
  for (int i = 0; i < 90; ++i) logs.add({.operation = "MergeEntity", .url = entity, .time = minute(i)});
  for (int i = 0; i < 90; ++i) logs.add({.operation = "QueryEntity", .url = entity, .time = minute(i)});
  for (const Finding& finding : logs.report().findings) CHECK(finding.id != "repeated-reads");
}

TEST_CASE("point reads through partitions are found") {
  Logs logs;
  for (int i = 0; i < 40; ++i)
    logs.add({.operation = "QueryEntity",
              .url = "https://shop.table.core.windows.net/orders(PartitionKey='p" + std::to_string(100 + i) +
                     "',RowKey='1')"});
  REQUIRE(logs.report().findings.size() == 1);
  CHECK(logs.report().findings[0].id == "reads-across-partitions");
}

TEST_CASE("requests that the service does not bill cost nothing") {
  Logs logs;
  for (const auto& [status, http] : {std::pair{"Success", "200"},
                                     {"ThrottlingError", "503"},
                                     {"ServerTimeoutError", "500"},
                                     {"ClientTimeoutError", "500"},
                                     {"ResourceNotFound", "404"},
                                     {"ServerBusy", "503"}})
    logs.add({.status = status, .http = http});
  logs.add({.operation = "TablePreflightRequest"});
  logs.add({.operation = "TablePreflightRequest", .status = "SASThrottlingError", .http = "503"});
  const InsightReport report = logs.report();
  CHECK(transactions_of(report) == 4);
  REQUIRE(report.shapes.size() == 2);
  CHECK(report.shapes[0].unbilled == 3);
  CHECK(report.shapes[0].errors == 5);
  CHECK(report.shapes[1].operation == "TablePreflightRequest");
  CHECK(report.shapes[1].fingerprint == "(not read)");
  CHECK(report.shapes[1].unbilled == 1);
  CHECK(report.logs->without_shape == 2);
}

TEST_CASE("a record that is there twice, and further operations of a request, count once") {
  Logs logs;
  for (int i = 0; i < 3; ++i) logs.add({.id = "a"});
  logs.add({.id = "a", .number = "1"});
  logs.add({.id = "a", .number = "1"});
  logs.add({.id = "b"});
  logs.add({});
  logs.add({});
  const InsightReport report = logs.report();
  CHECK(report.shapes.front().requests == 4);
  CHECK(report.logs->duplicates == 3);
  CHECK(report.logs->further_operations == 1);
}

TEST_CASE("ids are forgotten one million later, not before five hundred thousand") {
  RecentIds ids;
  const auto add_all = [&](std::uint64_t first, std::uint64_t last) {
    bool are_new = true;
    for (std::uint64_t i = first; i <= last; ++i) are_new = ids.add(i * 0x9e3779b97f4a7c15) && are_new;
    return are_new;
  };
  CHECK(ids.add(0));
  CHECK_FALSE(ids.add(0));
  CHECK(add_all(1, RecentIds::kMinKept - 1));
  CHECK_FALSE(ids.add(0));
  CHECK(add_all(RecentIds::kMinKept, 2 * RecentIds::kMinKept - 1));
  CHECK(ids.add(0));
}

TEST_CASE("other services are skipped, and signatures masked") {
  Logs logs;
  logs.add({.service = "blob"});
  CHECK(logs.insight().understood() == 1);
  for (const char* const operation : {"QueryEntities", "Unknown"})
    logs.add({.operation = operation, .url = "https://shop.table.core.windows.net/orders()?sv=1&sig=topsecret&x=1"});
  const std::string text = logs.document().dump();
  CHECK(logs.report().logs->other_services == 1);
  CHECK(text.find("topsecret") == text.npos);
  CHECK(text.find("sig=***") != text.npos);
}

TEST_CASE("many accounts and operations that cannot be read take bounded memory") {
  Logs logs;
  for (int i = 0; i < 3'000; ++i) logs.add({.operation = "Operation" + std::to_string(i)});
  logs.add({.operation = std::string(100'000, 'x')});
  logs.add({.operation = "<script>"});
  const InsightReport report = logs.report();
  CHECK(report.shapes.size() == 1'001);
  CHECK(transactions_of(report) == 3'002);
}

TEST_CASE("a record without time that can be read is broken; an unknown one is not shown") {
  Logs logs;
  LogEntry entry;
  entry.set(LogField::Service, "table");
  entry.set(LogField::Time, "x");
  CHECK(logs.insight().add(entry) == "its time cannot be read");
  CHECK(logs.insight().understood() == 0);
  logs.insight().add_broken("a.log:1", "it is odd");
  logs.insight().add_broken("a.log:2", "it is odder");
  logs.add({.time = "11/26/2026, 10:00:00.000 AM"});
  const InsightReport report = logs.report();
  CHECK(report.logs->broken == 2);
  CHECK(report.logs->first_broken == "a.log:1: it is odd");
  CHECK(report.since.empty());
  CHECK(report.shapes.front().first_seen.empty());
}

}  // namespace rocktable::TEST_FILE
