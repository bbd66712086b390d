#include "server/handlers/entities.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <optional>

#include "base/text.h"
#include "odata/key_predicate.h"
#include "odata/payload_reader.h"
#include "odata/payload_writer.h"
#include "odata/protocol/continuation_token.h"
#include "server/access/refusal_explanation.h"
#include "server/limits/page_budget.h"

namespace rocktable {
namespace {

TableName name_of(const RequestContext& context, std::string_view table) { return {context.target.account, table}; }

bool is_too_long(const EntityKey& key) {
  return utf16_length(key.partition_key) > kMaxKeyLength || utf16_length(key.row_key) > kMaxKeyLength;
}

// Runs `judge`, which reads a body. The service looks up the table before it judges an entity. Here the lookup is left
// to the store, so it comes first only if the entity is refused. It waits for a remote store, so not within the
// `catch`.
template <class Judge>
auto judge_for(const Store& store, const RequestContext& context, std::string_view table, const Judge& judge) {
  std::optional<ServiceException> refusal;
  try {
    return judge();
  } catch (const ServiceException& exception) {
    refusal = exception;
  }
  if (!store.get_table(name_of(context, table))) throw ServiceException(ErrorCode::TableNotFound);
  throw ServiceException(*std::move(refusal));
}

void note_write(RequestNotes& notes, AddressedMutation&& change) {
  notes.partition_key = std::move(change.partition_key);
  notes.writes.push_back(std::move(change.write));
}

}  // namespace

AddressedMutation to_mutation(InsertEntity&& operation, std::string_view body) {
  const EntityPayloadView payload = read_entity_view(body).value();
  if (payload.has_typed_key) throw ServiceException(ErrorCode::InvalidInput);
  if (!payload.partition_key || !payload.row_key) throw ServiceException(ErrorCode::PropertiesNeedValue);
  EntityKey key{std::string(*payload.partition_key), std::string(*payload.row_key)};
  check_entity(key, payload.properties).value();
  return {std::move(operation.table),
          std::move(key.partition_key),
          {WriteKind::Insert, std::move(key.row_key), {}, EncodedProperties(payload.properties)}};
}

AddressedMutation to_mutation(WriteEntity&& operation, std::string_view body) {
  EncodedProperties properties;
  if (operation.kind != WriteKind::Delete) {
    const EntityPayloadView payload = read_entity_view(body).value();
    // The keys of the URL count, not those of the body. An update with a key that is too long is not refused for its
    // length: no entity can have this key, so it is not found.
    const bool update = operation.condition.kind != Condition::Kind::None;
    check_entity(update && is_too_long(operation.key) ? EntityKey() : operation.key, payload.properties).value();
    properties = EncodedProperties(payload.properties);
  }
  return {std::move(operation.table),
          std::move(operation.key.partition_key),
          {operation.kind, std::move(operation.key.row_key), operation.condition, std::move(properties)}};
}

AddressedMutation to_mutation(const Store& store, const RequestContext& context, InsertEntity operation,
                              std::string_view body) {
  return judge_for(store, context, operation.table, [&] { return to_mutation(std::move(operation), body); });
}

AddressedMutation to_mutation(const Store& store, const RequestContext& context, WriteEntity operation,
                              std::string_view body) {
  return judge_for(store, context, operation.table, [&] { return to_mutation(std::move(operation), body); });
}

void begin_entity_location(std::string& out, const RequestContext& context, std::string_view table,
                           std::string_view partition_key) {
  out += context.target.base_url;
  out += '/';
  out += table;
  begin_key_predicate(out, partition_key);
}

void append_inserted_entity(std::string& out, const PayloadFormat& format, std::string_view partition_key,
                            const Mutation& inserted, DateTime timestamp) {
  const auto properties = inserted.properties.decode();
  write_entity(out, format, std::nullopt, EntityView{partition_key, inserted.row_key, timestamp, properties});
}

void require_entity_access(const RequestContext& context, const AddressedMutation& write) {
  if (!context.caller.keys) return;  // most callers; saves the copies
  const EntityKey key{write.partition_key, write.write.row_key};
  if (may_access(context.caller, key)) return;
  throw ServiceException(ErrorCode::AuthorizationFailure,
                         context.explains ? explain_key_out_of_range(context.caller, key) : std::string());
}

Response insert_entity(Store& store, const RequestContext& context, const InsertEntity& operation,
                       const std::string& body, RequestStats& stats, RequestNotes& notes) {
  AddressedMutation insert = to_mutation(store, context, operation, body);
  require_entity_access(context, insert);
  const DateTime timestamp =
      store.commit(name_of(context, insert.table), insert.partition_key, {&insert.write, 1}, stats).value();

  const bool content = context.preferences.prefer != Prefer::ReturnNoContent;
  Response response = table_layer_response(context, content ? 201 : 204);
  std::string location;
  begin_entity_location(location, context, insert.table, insert.partition_key);
  end_key_predicate(location, insert.write.row_key);
  response.add_etag(timestamp);
  response.add("Location", location);
  if (!content) response.add("DataServiceId", location);
  append_preference_applied(response.fields, context.preferences);
  if (content) {
    const PayloadFormat format = payload_format(context, insert.table);
    std::string echo;
    append_inserted_entity(echo, format, insert.partition_key, insert.write, timestamp);
    set_json_body(response, context, std::move(echo));
  }
  note_write(notes, std::move(insert));
  return response;
}

Response write_entity(Store& store, const RequestContext& context, const WriteEntity& operation,
                      const std::string& body, RequestStats& stats, RequestNotes& notes) {
  AddressedMutation change = to_mutation(store, context, operation, body);
  const DateTime timestamp =
      store.commit(name_of(context, change.table), change.partition_key, {&change.write, 1}, stats).value();
  note_write(notes, std::move(change));

  Response response = table_layer_response(context, 204);
  if (operation.kind == WriteKind::Delete) return response;
  response.add_etag(timestamp);
  append_preference_applied(response.fields, context.preferences);
  return response;
}

void refuse_write_behind(const Store& store, const RequestContext& context, std::string_view table) {
  if (!store.get_table(name_of(context, table))) throw ServiceException(ErrorCode::TableNotFound);
  std::string message =
      "The number of keys specified in the URI does not match number of key properties for the resource '";
  message.append(context.target.account).append(".").append(table).append("'.");
  refuse({ErrorCode::InvalidInput, std::move(message)});
}

Response get_entity(const Store& store, const RequestContext& context, const GetEntity& operation,
                    RequestStats& stats) {
  Response response = table_layer_response(context, 200);
  const auto render = [&](const EntityView& entity) {
    response.add_etag(entity.timestamp);
    std::string body;
    write_entity(body, payload_format(context, operation.table), operation.select, entity);
    set_json_body(response, context, std::move(body));
  };
  // A std::function of a reference allocates nothing.
  const bool found = store.get(name_of(context, operation.table), operation.key, std::cref(render), stats).value();
  if (!found) throw ServiceException(ErrorCode::ResourceNotFound);
  return response;
}

Response query_entities(const Store& store, const RequestContext& context, const QueryEntities& query,
                        RequestStats& stats, RequestNotes& notes, MemoryBudget::Share& memory) {
  static std::atomic<std::size_t> last_page_bytes = 0;
  std::string body;
  const PayloadFormat format = payload_format(context, query.table);
  EntitySetWriter page(body, format, query.select);
  PageBudget page_budget(body, memory, last_page_bytes);
  const auto visit = [&](const EntityView& entity) {
    page.add(entity);
    return true;
  };
  auto next = store
                  .scan({.table = name_of(context, query.table),
                         .ranges = accessible_ranges(query.plan.ranges, context.caller),
                         .page_size = query.page_size,
                         .deadline = std::chrono::steady_clock::now() + query.time_limit,
                         .visit = visit,
                         .filter = query.filter ? &*query.filter : nullptr,
                         .is_full = [&] { return page_budget.is_full(); }},
                        stats)
                  .value();
  page.finish();
  page_budget.finish();
  last_page_bytes = body.size();

  Response response = table_layer_response(context, 200);
  set_json_body(response, context, std::move(body));
  if (next) {
    response.continues = true;
    response.add("x-ms-continuation-NextPartitionKey", encode_continuation_token(next->partition_key));
    // An empty row key has no token. Without one the next page starts with the first row of the partition, which is the
    // row with the empty key.
    if (!next->row_key.empty()) response.add("x-ms-continuation-NextRowKey", encode_continuation_token(next->row_key));
    notes.next = std::move(next);
  }
  return response;
}

}  // namespace rocktable
