#include "server/tables.h"

#include <vector>

#include "odata/payload_reader.h"
#include "odata/payload_writer.h"
#include "odata/text.h"
#include "server/protocol/continuation_token.h"

namespace rocktable {
namespace {

constexpr DateTime kFileTimeEpoch{504'911'232'000'000'000};  // 1601-01-01, where Windows counts from

// A table as $filter sees it: something with one property, which has no case.
bool table_matches(const std::optional<Filter>& filter, const Table& table) {
  if (!filter) return true;
  const std::string lower_name = to_lower_ascii(table.name);
  const PropertyView name{"TableName", std::string_view(lower_name)};
  return matches(*filter, EntityView{{}, {}, {}, {&name, 1}});
}

Response table_document(const Exchange& exchange, int status, std::string_view name) {
  Response response = table_layer_response(exchange, status);
  std::string body;
  write_table(body, payload_format(exchange, name), name);
  set_json_body(response, exchange, std::move(body));
  return response;
}

}  // namespace

Response create_table(TableStore& store, const Exchange& exchange, const std::string& body) {
  const std::string name = read_table_name(body).value();
  check_table_name(name).value();
  store.create_table({exchange.target.account, name}).value();

  const std::string location = exchange.target.base_url + "/Tables('" + name + "')";
  const bool content = exchange.preferences.prefer != Prefer::ReturnNoContent;
  Response response = content ? table_document(exchange, 201, name) : table_layer_response(exchange, 204);
  response.add("Location", location);
  if (!content) response.add("DataServiceId", location);
  append_preference_applied(response.fields, exchange.preferences);
  return response;
}

Response query_tables(const TableStore& store, const Exchange& exchange, const QueryTables& query) {
  std::vector<std::string> names;
  const auto next =
      store.list_tables(exchange.target.account, query.names, query.page_size, [&](const Table& table) {
        const bool wanted = table_matches(query.filter, table);
        if (wanted) names.push_back(table.name);
        return wanted;
      });
  Response response = table_layer_response(exchange, 200);
  std::string body;
  write_table_set(body, payload_format(exchange, {}), names);
  set_json_body(response, exchange, std::move(body));
  if (next) {
    const auto file_time = next->created.ticks - kFileTimeEpoch.ticks;
    response.add("x-ms-continuation-NextTableName",
                 encode_continuation_token(table_token_text(to_lower_ascii(next->name), file_time)));
  }
  return response;
}

Response get_table(const TableStore& store, const Exchange& exchange, const GetTable& operation) {
  const auto table = store.get_table({exchange.target.account, operation.table});
  if (!table) throw ServiceException(ErrorCode::ResourceNotFound);
  return table_document(exchange, 200, table->name);
}

Response delete_table(TableStore& store, const Exchange& exchange, const DeleteTable& operation) {
  store.delete_table({exchange.target.account, operation.table}).value();
  return table_layer_response(exchange, 204);
}

}  // namespace rocktable
