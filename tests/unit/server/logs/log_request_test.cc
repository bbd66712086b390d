// Records to events: operation, plan, keys, times and money of each operation of the service.
#include "server/logs/log_request.h"

#include <doctest/doctest.h>

#include <string>

#include "server/request/operation_table.h"

namespace rocktable::TEST_FILE {
namespace {

LogEntry entry_of(std::string_view operation, std::string_view url) {
  LogEntry out;
  out.set(LogField::Time, "2026-11-26T10:00:00.0000000Z");
  out.set(LogField::OperationName, operation);
  out.set(LogField::Status, "Success");
  out.set(LogField::HttpStatus, "200");
  out.set(LogField::Service, "table");
  out.set(LogField::Account, "shop");
  out.set(LogField::Url, url);
  return out;
}

// `account/table operation plan fingerprint`
std::string described(std::string_view operation, std::string_view resource) {
  const std::string url = "https://shop.table.core.windows.net:443" + std::string(resource);
  const LogRequest request(entry_of(operation, url));
  CHECK(request.why_broken().empty());
  const RequestEvent& event = request.event();
  CHECK(event.target == resource);
  if (event.operation == nullptr) return "not read";
  const auto* const query = std::get_if<QueryEntities>(event.operation);
  const auto* const write = std::get_if<WriteEntity>(event.operation);
  std::string out = event.key->account + "/" + event.key->table + " ";
  out += write == nullptr ? event.key->operation : name_of_write(write->kind, write->condition);
  if (!event.plan_class.empty()) out.append(" ").append(event.plan_class);
  if (query != nullptr && !query->shape.empty()) out += " " + query->shape;
  return out;
}

}  // namespace

TEST_CASE("each logged operation has its name in reports") {
  constexpr std::string_view kEntity = "/Orders(PartitionKey='a',RowKey='b')";
  struct {
    std::string_view operation, resource, described;
  } const cases[] = {
      {"EntityGroupTransaction", "/$batch", "shop/ Batch"},
      {"CreateTable", "/Tables", "shop/ CreateTable"},
      {"DeleteTable", "/Tables('Orders')", "shop/orders DeleteTable"},
      {"QueryTable", "/Tables('Orders')", "shop/orders GetTable"},
      {"QueryTables", "/Tables()?$top=10", "shop/ QueryTables"},
      {"DeleteEntity", kEntity, "shop/orders DeleteEntity"},
      {"InsertEntity", "/Orders", "shop/orders InsertEntity"},
      {"InsertEntity", "/Orders()", "shop/orders InsertEntity"},
      {"InsertOrMergeEntity", kEntity, "shop/orders InsertOrMergeEntity"},
      {"InsertOrReplaceEntity", kEntity, "shop/orders InsertOrReplaceEntity"},
      {"UpdateEntity", kEntity, "shop/orders UpdateEntity"},
      {"MergeEntity", kEntity, "shop/orders MergeEntity"},
      {"QueryEntity", kEntity, "shop/orders GetEntity point"},
      {"QueryEntities", "/Orders()", "shop/orders QueryEntities table-scan"},
      {"QueryEntities", "/Orders()?$filter=PartitionKey%20eq%20'a'&$select=A,B",
       "shop/orders QueryEntities partition-scan PartitionKey eq ?"},
      {"QueryEntities", "/Orders?%24filter=Age+gt+30L", "shop/orders QueryEntities table-scan Age gt ?"},
      {"SetTableServiceProperties", "/?restype=service&comp=properties", "shop/ SetServiceProperties"},
      {"GetTableServiceProperties", "/?restype=service&comp=properties&timeout=30", "shop/ GetServiceProperties"},
  };
  for (const auto& one : cases) {
    CAPTURE(one.operation);
    CAPTURE(one.resource);
    CHECK(described(one.operation, one.resource) == one.described);
    CHECK(one.described.find(name_in_reports(one.operation)) != std::string_view::npos);
  }
}

TEST_CASE("parameters that rocktable does not know hide no query") {
  CHECK(described("QueryEntities", "/orders()?$filter=Age%20gt%201&$newoption=1&sig=x&timeout=x") ==
        "shop/orders QueryEntities table-scan Age gt ?");
  CHECK(described("QueryEntities", "/orders()?$filter=Age%20gt%201&NextPartitionKey=of%20another%20form") ==
        "shop/orders QueryEntities table-scan Age gt ?");
}

TEST_CASE("what cannot be read is no query") {
  for (const std::string_view resource :
       {"/orders()?$filter=Age%20gt", "/orders()?$filter=%zz", "/$MetricsHourPrimaryTransactionsTable()", "/o",
        "/orders(PartitionKey='a')", "/", "", "/orders()?$filter=Age%20gt%201&$filter=1"})
    CHECK(described("QueryEntities", resource) == "not read");
  CHECK(described("TablePreflightRequest", "/orders") == "not read");
  CHECK(described("", "/orders") == "not read");
  const LogRequest no_url(entry_of("QueryEntities", "orders"));
  CHECK(no_url.event().operation == nullptr);
  CHECK(no_url.why_broken().empty());
}

TEST_CASE("the account is the log's, in lower case; else the host's") {
  LogEntry entry = entry_of("QueryTables", "https://Other-secondary.table.core.windows.net/Tables");
  CHECK(LogRequest(entry).event().key->account == "shop");
  LogEntry other;
  other.set(LogField::Time, "2026-11-26T10:00:00Z");
  other.set(LogField::OperationName, "QueryTables");
  other.set(LogField::Url, entry[LogField::Url]);
  CHECK(LogRequest(other).event().key->account == "other");
}

TEST_CASE("texts of any length are not kept as names, nor as keys") {
  const std::string long_url =
      "https://a.table.core.windows.net/orders(PartitionKey='" + std::string(70'000, 'x') + "',RowKey='r')";
  LogEntry entry;
  for (const auto& [field, text] : {std::pair<LogField, std::string_view>{LogField::Time, "2026-11-26T10:00:00Z"},
                                    {LogField::OperationName, "QueryEntity"},
                                    {LogField::Url, long_url},
                                    {LogField::Account, long_url}})
    entry.set(field, text);
  const LogRequest request(entry);
  CHECK(request.event().operation == nullptr);
  CHECK(request.event().account == "*");
  CHECK(bounded_name("Shop1") == "Shop1");
  CHECK(bounded_name("") == "");
  CHECK(bounded_name(std::string(65, 'a')) == "*");
  CHECK(bounded_name("a\xff") == "*");
}

TEST_CASE("a page that is continued had a token") {
  const auto is_continued = [](std::string_view query) {
    const std::string url = "https://shop.table.core.windows.net/orders()?" + std::string(query);
    return LogRequest(entry_of("QueryEntities", url)).event().continues;
  };
  CHECK(is_continued("NextPartitionKey=1!4!YWE-&NextRowKey=1!4!YWE-"));
  CHECK_FALSE(is_continued("$top=5"));
}

TEST_CASE("writes that were done have keys; conditions tell lost updates") {
  const auto writes_of = [](std::string_view operation, std::string_view status, std::string_view conditions) {
    LogEntry entry;
    entry.set(LogField::HttpStatus, status);
    entry.set(LogField::Conditions, conditions);
    const LogEntry usual = entry_of(operation, "https://a.table.core.windows.net/orders(PartitionKey='p',RowKey='r')");
    for (const LogField field : {LogField::Time, LogField::OperationName, LogField::Url})
      entry.set(field, usual[field]);
    const LogRequest request(entry);
    REQUIRE(request.event().notes != nullptr);
    const RequestNotes& notes = *request.event().notes;
    if (notes.writes.empty()) return std::string("none");
    const Mutation& write = notes.writes.front();
    return notes.partition_key + " " + write.row_key + " " +
           (write.condition.kind == Condition::Kind::ETag  ? "etag"
            : write.condition.kind == Condition::Kind::Any ? "any"
                                                           : "no condition");
  };
  CHECK(writes_of("UpdateEntity", "204", "If-Match=*") == "p r any");
  CHECK(writes_of("UpdateEntity", "204", "If-Match=W/\"datetime'2022-01-01T00%3A00%3A00Z'\"") == "p r etag");
  CHECK(writes_of("UpdateEntity", "204", "") == "p r etag");  // the log does not say: not blamed
  CHECK(writes_of("InsertOrReplaceEntity", "204", "") == "p r no condition");
  CHECK(writes_of("UpdateEntity", "412", "If-Match=*") == "none");
  CHECK(writes_of("UpdateEntity", "Unknown", "If-Match=*") == "none");
  CHECK(writes_of("DeleteEntity", "204", "If-Match=*") == "p r any");
}

TEST_CASE("a request without table in its URL has that of its object key") {
  const auto table_of_key = [](std::string_view operation, std::string_view key) {
    const bool is_batch = operation == "EntityGroupTransaction";
    LogEntry entry = entry_of(
        operation, is_batch ? "https://a.table.core.windows.net/$batch" : "https://a.table.core.windows.net/Tables");
    entry.set(LogField::ObjectKey, key);
    return LogRequest(entry).event().notes->table;
  };
  CHECK(table_of_key("CreateTable", "/logsamples/Table1") == "Table1");
  CHECK(table_of_key("EntityGroupTransaction", "/a/orders") == "orders");
  for (const std::string_view key :
       {"", "/", "/a", "/a/", "a/b", "/a/$batch", "/a/orders(PartitionKey='a',RowKey='b')"})
    CHECK(table_of_key("EntityGroupTransaction", key).empty());
}

TEST_CASE("status, bytes, times and texts of headers") {
  LogEntry entry = entry_of("QueryTables", "https://a.table.core.windows.net/Tables");
  entry.set(LogField::ResponseBytes, "417");
  entry.set(LogField::ServerLatency, "12.5");
  entry.set(LogField::TotalLatency, "30");
  entry.set(LogField::UserAgent, "\"agent/1 (x)\"");
  entry.set(LogField::ClientRequestId, "test/1");
  const LogRequest request(entry);
  const RequestEvent& event = request.event();
  CHECK(event.status == 200);
  CHECK(*event.is_billed);
  CHECK_FALSE(event.counts_entities);
  CHECK(event.body_bytes == 417);
  CHECK(event.duration == std::chrono::microseconds(12'500));
  CHECK(event.user_agent == "agent/1 (x)");
  CHECK(event.client_request_id == "test/1");
  CHECK(to_string(event.received) == "2026-11-26T10:00:00Z");
}

TEST_CASE("numbers that are none, and too large ones, are not known") {
  for (const std::string_view number : {"", "-1", "nan", "inf", "1e300", "x", "99999999999999999999999999"}) {
    CAPTURE(number);
    LogEntry entry = entry_of("QueryTables", "https://a.table.core.windows.net/Tables");
    entry.set(LogField::ServerLatency, number);
    entry.set(LogField::ResponseBytes, number);
    const LogRequest request(entry);
    CHECK(request.event().duration <= std::chrono::hours(24 * 12));
    CHECK(request.event().duration >= std::chrono::microseconds(0));
    CHECK(request.event().body_bytes == 0);
  }
}

TEST_CASE("times in the forms that are documented") {
  const auto why = [](std::string_view time) {
    LogEntry entry;
    entry.set(LogField::Time, time);
    return LogRequest(entry).why_broken();
  };
  CHECK(why("2022-07-05T11:47:39.6047124Z").empty());
  CHECK(why("2018/11/08 21:09:36.6900118").empty());
  CHECK(why("11/8/2018, 9:09:36.690 PM").empty());  // not known
  CHECK(why("yesterday") == "its time cannot be read");
  CHECK(why("") == "its time cannot be read");
}

TEST_CASE("records of other services are told by their service, resource or URL") {
  const auto is_table = [](std::string_view service, std::string_view resource, std::string_view url) {
    LogEntry entry;
    entry.set(LogField::Service, service);
    entry.set(LogField::ResourceId, resource);
    entry.set(LogField::Url, url);
    return is_of_table_service(entry);
  };
  CHECK(is_table("table", "", ""));
  CHECK(is_table("Table", "/blobServices/default", ""));
  CHECK_FALSE(is_table("blob", "/tableServices/default", ""));
  CHECK(is_table("", "/SUBSCRIPTIONS/1/STORAGEACCOUNTS/A/TABLESERVICES/DEFAULT", ""));
  CHECK_FALSE(is_table("", "/storageAccounts/a/queueServices/default", "https://a.table.core.windows.net/"));
  CHECK(is_table("", "", "https://a.table.core.windows.net/t"));
  CHECK_FALSE(is_table("", "", "https://a.blob.core.windows.net/x.table.y"));
  CHECK_FALSE(is_table("", "", ""));
}

}  // namespace rocktable::TEST_FILE
