#include "server/handlers/tables.h"

#include <vector>

#include "base/text.h"
#include "odata/payload_reader.h"
#include "odata/payload_writer.h"
#include "odata/protocol/continuation_token.h"
#include "server/access/refusal_explanation.h"

namespace rocktable {
namespace {

constexpr DateTime kFileTimeEpoch{504'911'232'000'000'000};  // 1601-01-01, the epoch of Windows file times

// $filter sees a table as an entity with one property, whose letter case does not matter.
bool table_matches(const std::optional<Filter>& filter, const Table& table) {
  if (!filter) return true;
  const std::string lower_name = to_lower_ascii(table.name);
  const PropertyView name{"TableName", std::string_view(lower_name)};
  return matches(*filter, EntityView{{}, {}, {}, {&name, 1}});
}

Response table_document(const RequestContext& context, int status, std::string_view name) {
  Response response = table_layer_response(context, status);
  std::string body;
  write_table(body, payload_format(context, name), name);
  set_json_body(response, context, std::move(body));
  return response;
}

}  // namespace

Response create_table(Store& store, const RequestContext& context, const std::string& body, RequestNotes& notes) {
  const std::string name = read_table_name(body).value();
  check_table_name(name).value();
  require_roles(context, CreateTable(), name);
  notes.table = name;
  store.create_table({context.target.account, name}).value();

  const std::string location = context.target.base_url + "/Tables('" + name + "')";
  const bool content = context.preferences.prefer != Prefer::ReturnNoContent;
  Response response = content ? table_document(context, 201, name) : table_layer_response(context, 204);
  response.add("Location", location);
  if (!content) response.add("DataServiceId", location);
  append_preference_applied(response.fields, context.preferences);
  return response;
}

Response query_tables(const Store& store, const RequestContext& context, const QueryTables& query) {
  std::vector<std::string> names;
  const auto next = store.list_tables(context.target.account, query.names, query.page_size, [&](const Table& table) {
    const bool wanted = table_matches(query.filter, table);
    if (wanted) names.push_back(table.name);
    return wanted;
  });
  Response response = table_layer_response(context, 200);
  std::string body;
  write_table_set(body, payload_format(context, {}), names);
  set_json_body(response, context, std::move(body));
  if (next) {
    response.continues = true;
    const auto file_time = next->created.ticks - kFileTimeEpoch.ticks;
    response.add("x-ms-continuation-NextTableName",
                 encode_continuation_token(table_token_text(to_lower_ascii(next->name), file_time)));
  }
  return response;
}

Response get_table(const Store& store, const RequestContext& context, const GetTable& operation) {
  const auto table = store.get_table({context.target.account, operation.table});
  if (!table) throw ServiceException(ErrorCode::ResourceNotFound);
  return table_document(context, 200, table->name);
}

Response delete_table(Store& store, const RequestContext& context, const DeleteTable& operation) {
  store.delete_table({context.target.account, operation.table}).value();
  return table_layer_response(context, 204);
}

}  // namespace rocktable
