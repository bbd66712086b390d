#include "client/table_client.h"

#include <simdjson.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/uri.h"
#include "client/signing.h"
#include "odata/payload_reader.h"
#include "odata/payload_writer.h"

namespace rocktable {
namespace {

constexpr std::string_view kVersion = "2019-02-02";
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kAccept = "application/json;odata=minimalmetadata";
constexpr int kFirstRedirectStatus = 300;

// Appends `?name=value` or `&name=value`.
void add_parameter(std::string& target, std::string_view name, std::string_view value) {
  target += target.find('?') == std::string::npos ? '?' : '&';
  target.append(name).append("=").append(percent_encode(value));
}

TableError malformed(const std::string& what) { return {0, "", what + " is malformed"}; }

TableError error_of(const HttpResponse& answer) {
  TableError out = read_error(answer.status, answer.body);
  out.sent_twice = answer.sent_twice;
  if (out.code.empty()) out.code = answer.headers.get("x-ms-error-code");
  const std::string_view wait = answer.headers.get("Retry-After");
  int seconds = 0;
  if (std::from_chars(wait.data(), wait.data() + wait.size(), seconds).ec == std::errc() && seconds > 0)
    out.retry_after = std::chrono::seconds(seconds);
  return out;
}

}  // namespace

TableClient::TableClient(TableEndpoint endpoint, HttpOptions options)
    : endpoint_(std::move(endpoint)), http_(endpoint_.url, std::move(options)) {
  if (!endpoint_.account_key.empty()) key_.emplace(endpoint_.account_key);
}

// --- One request -------------------------------------------------------------------------------------------

void TableClient::sign(HttpRequest& request, std::string_view content_type) {
  if (!key_) {
    request.target += request.target.find('?') == std::string::npos ? '?' : '&';
    request.target += endpoint_.shared_access_signature;
    return;
  }
  add_shared_key(request, endpoint_.account_name, *key_, content_type);
}

TableResult<HttpResponse> TableClient::send(std::string_view method, std::string target, Body body) {
  HttpRequest request;
  request.method = method;
  request.target = endpoint_.url.path + "/" + std::move(target);
  request.body = std::move(body.text);
  request.headers.add("x-ms-version", kVersion);
  request.headers.add("x-ms-date", http_date());
  request.headers.add("DataServiceVersion", "3.0");
  request.headers.add("MaxDataServiceVersion", "3.0;NetFx");
  request.headers.add("Accept", kAccept);
  if (!body.type.empty()) {
    request.headers.add("Content-Type", body.type);
    if (body.type == kJson) request.headers.add("Prefer", "return-no-content");
  }
  if (!body.if_match.empty()) request.headers.add("If-Match", body.if_match);
  sign(request, body.type);
  HttpResponse answer = http_.send(request);
  if (answer.status >= kFirstErrorStatus) return error_of(answer);
  if (answer.status >= kFirstRedirectStatus)
    return TableError{answer.status, "", "the server redirects to another address"};
  return answer;
}

// --- Tables ------------------------------------------------------------------------------------------------

TableResult<TablePage> TableClient::list_tables(const std::string& next) {
  std::string target = "Tables";
  if (!next.empty()) add_parameter(target, "NextTableName", next);
  const auto answer = send("GET", target, {});
  if (!answer) return answer.error();
  const auto json = nlohmann::json::parse(answer->body, nullptr, false);
  if (!json.is_object() || !json.contains("value") || !json["value"].is_array())
    return malformed("the list of tables in the response");
  TablePage out;
  for (const auto& row : json["value"]) {
    if (!row.is_object() || !row.contains("TableName") || !row["TableName"].is_string())
      return malformed("the list of tables in the response");
    out.names.push_back(row["TableName"].get<std::string>());
  }
  out.next = answer->headers.get("x-ms-continuation-NextTableName");
  return out;
}

TableResult<void> TableClient::create_table(std::string_view name) {
  const auto answer = send("POST", "Tables", {nlohmann::json{{"TableName", name}}.dump(), kJson});
  if (!answer) return answer.error();
  return {};
}

TableResult<void> TableClient::delete_table(std::string_view name) {
  const auto answer = send("DELETE", "Tables('" + std::string(name) + "')", {});
  if (!answer) return answer.error();
  return {};
}

// --- Reading -----------------------------------------------------------------------------------------------

TableResult<std::unique_ptr<EntityPage>> TableClient::query(std::string_view table, std::string_view filter, int top,
                                                            const EntityContinuation& from) {
  std::string target = std::string(table) + "()";
  add_parameter(target, "$top", std::to_string(top));
  if (!filter.empty()) add_parameter(target, "$filter", filter);
  if (!from.partition_key.empty()) add_parameter(target, "NextPartitionKey", from.partition_key);
  if (!from.row_key.empty()) add_parameter(target, "NextRowKey", from.row_key);
  auto answer = send("GET", std::move(target), {});
  if (!answer) return answer.error();
  auto out = std::make_unique<EntityPage>();
  out->body = std::move(answer->body);
  auto entities = split_page(out->body);
  if (!entities) return malformed("the page of entities in the response");
  out->entities = std::move(*entities);
  out->next = {std::string(answer->headers.get("x-ms-continuation-NextPartitionKey")),
               std::string(answer->headers.get("x-ms-continuation-NextRowKey"))};
  return out;
}

TableResult<Entity> TableClient::get(std::string_view table, const EntityKey& key) {
  const auto answer = send("GET", resource_of(WriteMode::Replace, table, key), {});
  if (!answer) return answer.error();
  return read_page_entity(answer->body);
}

std::optional<std::vector<std::string_view>> split_page(std::string& body) try {
  namespace ondemand = simdjson::ondemand;
  body.reserve(body.size() + simdjson::SIMDJSON_PADDING);
  ondemand::parser parser;
  ondemand::document page = parser.iterate(body.data(), body.size(), body.capacity());
  std::optional<std::vector<std::string_view>> out;
  for (ondemand::field member : page.get_object()) {
    if (std::string_view(member.unescaped_key()) != "value") continue;
    if (out) return std::nullopt;
    out.emplace();
    for (ondemand::object entity : member.value().get_array()) {
      const std::string_view json = entity.raw_json();  // with the blanks after it
      out->push_back(json.substr(0, json.rfind('}') + 1));
    }
  }
  const bool at_end = page.current_location().error() == simdjson::OUT_OF_BOUNDS;
  return at_end ? out : std::nullopt;
} catch (const simdjson::simdjson_error&) {
  return std::nullopt;
}

TableResult<Entity> read_page_entity(std::string_view json) {
  auto payload = read_entity(json);
  if (!payload || !payload->partition_key || !payload->row_key) return malformed("an entity in the response");
  const auto timestamp = parse_etag(payload->etag);
  return Entity{{std::move(*payload->partition_key), std::move(*payload->row_key)},
                timestamp ? *timestamp : DateTime{},
                std::move(payload->properties)};
}

std::string known_etag(const Entity& entity) { return entity.timestamp == DateTime{} ? "" : etag_of(entity.timestamp); }

// --- Writing -----------------------------------------------------------------------------------------------

TableResult<void> TableClient::write_one(std::string_view table, WriteMode mode, const SerializedEntity& write) {
  const std::string_view type = mode == WriteMode::Delete ? std::string_view{} : kJson;
  const auto answer =
      send(method_of(mode), resource_of(mode, table, write.key), {write.body, type, if_match_of(mode, write)});
  if (!answer) return answer.error();
  return {};
}

TableResult<void> TableClient::write(std::string_view table, WriteMode mode, std::span<const SerializedEntity> writes) {
  if (writes.size() == 1) return write_one(table, mode, writes.front());
  const auto answer =
      send("POST", "$batch", {write_transaction(endpoint_.address(), table, mode, writes), transaction_content_type()});
  if (!answer) return answer.error();
  const auto outcome = read_transaction_response(answer->body, writes.size());
  if (outcome) return {};
  TableError error = outcome.error();
  error.sent_twice = answer->sent_twice;
  return error;
}

}  // namespace rocktable
