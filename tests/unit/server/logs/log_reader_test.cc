// Lines of each format to entries, alone and mixed; and any bytes.
#include "server/logs/log_reader.h"

#include <doctest/doctest.h>

#include <random>
#include <string>

namespace rocktable::TEST_FILE {
namespace {

// The same request in each format: `OPERATION STATUS URL LATENCY BYTES AGENT`.
constexpr std::string_view kAnalytics =
    R"~(1.0;2026-11-26T10:00:00.0000000Z;QueryEntities;SASSuccess;200;30;20;sas;;shop;table;)~"
    R"~("https://shop.table.core.windows.net:443/orders()?$filter=Age%20gt%2030&amp;sig=x";"/shop/orders";)~"
    R"~(11111111-0002-0003-0004-000000000000;0;10.0.0.1:1234;2019-02-02;500;0;300;417;0;;;;;;)~"
    R"~("azsdk-net-Data.Tables/12.8.0 (.NET 8)";;"checkout/1")~";

constexpr std::string_view kResource =
    R"~({"time":"2026-11-26T10:00:00.0000000Z","resourceId":"/subscriptions/1/resourceGroups/g/providers/)~"
    R"~(Microsoft.Storage/storageAccounts/shop/tableServices/default","category":"StorageRead","operationName":)~"
    R"~("QueryEntities","operationVersion":"2019-02-02","schemaVersion":"1.0","statusCode":200,"statusText":)~"
    R"~("SASSuccess","durationMs":30,"callerIpAddress":"10.0.0.1:1234","correlationId":"1","identity":{"type":"SAS",)~"
    R"~("tokenHash":"key1(X)"},"location":"North Europe","properties":{"accountName":"shop","userAgentHeader":)~"
    R"~("azsdk-net-Data.Tables/12.8.0 (.NET 8)","clientRequestId":"checkout/1","serviceType":"table","objectKey":)~"
    R"~("/shop/orders","serverLatencyMs":20,"operationCount":0,"responseBodySize":417,"tlsVersion":"TLS 1.2"},"uri":)~"
    R"~("https://shop.table.core.windows.net:443/orders()?$filter=Age%20gt%2030&sig=x","protocol":"HTTPS"})~";

// As `az monitor log-analytics query` prints it.
constexpr std::string_view kRow = R"~([
  {
    "AccountName": "shop",
    "ClientRequestId": "checkout/1",
    "DurationMs": "30.0",
    "ObjectKey": "/shop/orders",
    "OperationCount": "0",
    "OperationName": "QueryEntities",
    "ResponseBodySize": "417",
    "ServerLatencyMs": "20",
    "ServiceType": "table",
    "StatusCode": "200",
    "StatusText": "SASSuccess",
    "TableName": "PrimaryResult",
    "TimeGenerated": "2026-11-26T10:00:00Z",
    "Type": "StorageTableLogs",
    "Uri": "https://shop.table.core.windows.net:443/orders()?$filter=Age%20gt%2030&sig=x",
    "UserAgentHeader": "azsdk-net-Data.Tables/12.8.0 (.NET 8)"
  }
])~";

constexpr std::string_view kCsv =
    "TenantId,\"TimeGenerated [UTC]\",AccountName,OperationName,StatusCode,StatusText,DurationMs,ServerLatencyMs,Uri,"
    "ResponseBodySize,UserAgentHeader,ClientRequestId,ServiceType,OperationCount\r\n"
    "1,\"11/26/2026, 10:00:00.000 AM\",shop,QueryEntities,200,SASSuccess,30,20,"
    "\"https://shop.table.core.windows.net:443/orders()?$filter=Age%20gt%2030&sig=x\",417,"
    "\"azsdk-net-Data.Tables/12.8.0 (.NET 8)\",checkout/1,table,0\r\n";

constexpr std::string_view kExpected =
    "QueryEntities 200 SASSuccess shop table "
    "https://shop.table.core.windows.net:443/orders()?$filter=Age%20gt%2030&sig=x "
    "20 417 azsdk-net-Data.Tables/12.8.0 (.NET 8) checkout/1 0\n";

std::string text_of_entry(const LogEntry& entry) {
  using enum LogField;
  std::string out;
  for (const LogField field : {OperationName, HttpStatus, Status, Account, Service, Url, ServerLatency, ResponseBytes,
                               UserAgent, ClientRequestId, OperationNumber})
    out.append(out.empty() ? "" : " ").append(entry[field]);
  return out + "\n";
}

// The entries of a text, and `!` with the reason for each broken line.
std::string entries_of(std::string_view text) {
  std::string out;
  LogReader reader({.entry = [&](const LogEntry& entry) { out += text_of_entry(entry); },
                    .broken = [&](std::string_view why) { out.append("! ").append(why).append("\n"); }});
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    reader.add_line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  reader.finish();
  return out;
}

}  // namespace

TEST_CASE("each format has the same request") {
  for (const std::string_view text : {kAnalytics, kResource, kRow, kCsv}) {
    CAPTURE(text);
    CHECK(entries_of(text) == kExpected);
  }
  CHECK(entries_of(std::string(kAnalytics) + "\r\n") == kExpected);
  CHECK(entries_of("{\"records\": [" + std::string(kResource) + "]}") == kExpected);
}

TEST_CASE("formats may follow each other") {
  std::string all, expected;
  for (const std::string_view text : {kCsv, kAnalytics, kRow, kResource, kCsv, kResource, kAnalytics}) {
    all.append(text).append("\n\n");
    expected += kExpected;
  }
  CHECK(entries_of(all) == expected);
}

TEST_CASE("a broken line costs nothing but itself") {
  const std::string good = std::string(kAnalytics) + "\n";
  const std::string good_json = std::string(kResource) + "\n";
  const std::string expected(kExpected);
  struct {
    std::string text, entries;
  } const cases[] = {
      {"\xff\xfe\x01 garbage\n" + good, "! it is of none of the known formats\n" + expected},
      {"1.0;x\n" + good, "! it has 2 fields of 30\n" + expected},
      {good + std::string(kAnalytics.substr(0, 100)), expected + "! the quote of field 12 does not end\n"},
      {good_json.substr(0, 90) + "\n" + good_json, "! a record ends in the middle\n" + expected},
      {good_json + good_json.substr(0, 90), expected + "! the last record ends in the middle\n"},
      {"{\"a\":tru}\n" + good_json, "! it is not JSON\n" + expected},
      {"{\"a\":\"\xff\"}\n" + good_json, "! it is not JSON\n" + expected},
      {"{\"time\":1}\n" + good_json, "! it has no operationName\n" + expected},
      {"{\"operationName\":{}}\n" + good_json, "! it has no operationName\n" + expected},
      {std::string(kCsv) + "a,b\n", expected + "! it has 2 fields, and the header has 14\n"},
      {std::string(kCsv) + "\"a,b\n", expected + "! the last row ends in the middle\n"},
      {"{\"tables\":[{\"name\":\"PrimaryResult\",\"columns\":[],\"rows\":[]}]}",
       "! it is an answer of the query API; `az monitor log-analytics query` prints rows that can be read\n"},
      {"\n\r\n  \n", ""},
  };
  for (const auto& one : cases) {
    CAPTURE(one.text);
    CHECK(entries_of(one.text) == one.entries);
  }
}

TEST_CASE("fields of CSV files may have quotes and line feeds") {
  CHECK(entries_of("OperationName,Uri,UserAgentHeader\nQueryEntities,\"https://a/\"\"b\"\"\",\"x\n1.0;y\"\n") ==
        "QueryEntities     https://a/\"b\"   x\n1.0;y  \n");
}

TEST_CASE("numbers of JSON are texts") {
  CHECK(
      entries_of(R"~({"operationName":"O","statusCode":"Unknown","properties":{"serverLatencyMs":0.5,)~"
                 R"~("responseBodySize":-1,"operationCount":18446744073709551615,"accountName":null,"uri":true}})~") ==
      "O Unknown     0.5 -1   18446744073709551615\n");
}

// Lines that differ from good ones in some bytes, or are cut off, give entries or reasons, and never more than one for
// a line and the end of the file.
TEST_CASE("any bytes") {
  std::mt19937 random(20261126);
  const auto below = [&](std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
  };
  constexpr std::string_view kSpecial = "\"\\;{}[],&#\n\r\0\xff'";
  for (int round = 0; round < 2'000; ++round) {
    std::string text;
    for (std::size_t i = 0; i < 1 + below(4); ++i) {
      const std::string_view formats[] = {kAnalytics, kResource, kRow, kCsv};
      text.append(formats[below(4)]).append(below(5) == 0 ? "" : "\n");
    }
    for (std::size_t i = below(6); i > 0; --i) {
      const std::size_t place = below(text.size());
      if (below(2) == 0) {
        text[place] = kSpecial[below(kSpecial.size())];
      } else {
        text.erase(place, 1 + below(40));
      }
      if (text.empty()) text = "x";
    }
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    const std::string entries = entries_of(text);
    const auto results = static_cast<std::size_t>(std::count(entries.begin(), entries.end(), '\n'));
    CAPTURE(round);
    CHECK(results <= 2 * lines + 2);
  }
}

}  // namespace rocktable::TEST_FILE
