// Client for the Table service: each function sends one signed request, without retries.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "client/change_set.h"
#include "client/connection_string.h"
#include "client/http_client.h"
#include "client/table_error.h"
#include "odata/entity.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

// The continuation token of a query; empty at the end.
struct EntityContinuation {
  std::string partition_key;  // opaque, as the server returned them
  std::string row_key;

  bool empty() const { return partition_key.empty() && row_key.empty(); }
  bool operator==(const EntityContinuation&) const = default;
};

// One page of a query. Entities are decoded one at a time, because decoded entities take much more memory.
struct EntityPage {
  std::string body;
  std::vector<std::string_view> entities;  // each is a JSON object inside `body`
  EntityContinuation next;
};

struct TablePage {
  std::vector<std::string> names;
  std::string next;  // empty on the last page
};

// Splits the array `value` of a query response into its objects, which are views of `body`. Reserves the bytes
// after the text that simdjson reads. Returns nullopt if the body is not one JSON object with one such array.
// Does not validate the objects.
std::optional<std::vector<std::string_view>> split_page(std::string& body);

// Decodes an entity of a page. Its timestamp comes from its ETag, if that has the service's format.
TableResult<Entity> read_page_entity(std::string_view json);

// The ETag of an entity that read_page_entity() returned; empty if its format is unknown. Without it no
// conditional write is possible.
std::string known_etag(const Entity& entity);

// Not thread-safe: use one per thread. All functions throw HttpError if there is no response.
class TableClient {
 public:
  explicit TableClient(TableEndpoint endpoint, HttpOptions options = {});

  const TableEndpoint& endpoint() const { return endpoint_; }

  TableResult<TablePage> list_tables(const std::string& next);
  TableResult<void> create_table(std::string_view name);
  TableResult<void> delete_table(std::string_view name);

  // Up to `top` entities in key order. A page may have fewer or none and still not be the last.
  TableResult<std::unique_ptr<EntityPage>> query(std::string_view table, std::string_view filter, int top,
                                                 const EntityContinuation& from);
  TableResult<Entity> get(std::string_view table, const EntityKey& key);

  // Writes all or none. All writes must have the same partition key, and each row key must occur once.
  TableResult<void> write(std::string_view table, WriteMode mode, std::span<const SerializedEntity> writes);

 private:
  struct Body {
    std::string text;
    std::string_view type = {};
    std::string_view if_match = {};
  };

  TableResult<HttpResponse> send(std::string_view method, std::string target, Body body);
  void sign(HttpRequest& request, std::string_view content_type);
  TableResult<void> write_one(std::string_view table, WriteMode mode, const SerializedEntity& write);

  TableEndpoint endpoint_;
  HttpClient http_;
  std::optional<AccountKey> key_;
};

}  // namespace rocktable
