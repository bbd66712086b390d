// The operations of a table account that moving data needs, each one signed request: no retries here.
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

// Where a query goes on; empty: it has ended.
struct EntityContinuation {
  std::string partition_key;  // as the service wrote them, which is its own matter
  std::string row_key;

  bool empty() const { return partition_key.empty() && row_key.empty(); }
  bool operator==(const EntityContinuation&) const = default;
};

// One answer to a query: read entity by entity, for decoded it is much larger.
struct EntityPage {
  std::string body;
  std::vector<std::string_view> entities;  // of `body`: a JSON object each
  EntityContinuation next;
};

struct TablePage {
  std::vector<std::string> names;
  std::string next;  // empty: no more
};

// The objects of the array `value` of an answer to a query. Nothing where there is no such array, or it is not whole; what
// is in the objects is not looked at.
std::optional<std::vector<std::string_view>> split_page(std::string_view body);

// An entity of a page, its timestamp from its ETag, where it has one of the service's form. Errors as of an answer that
// cannot be read.
TableResult<Entity> read_page_entity(std::string_view json);

// The ETag of an entity that was read so; empty where it had another form: then there is no way to write to it under the
// condition that it has not changed.
std::string known_etag(const Entity& entity);

// Not thread-safe: one per thread. All throw HttpError where no answer comes.
class TableClient {
 public:
  explicit TableClient(TableEndpoint endpoint, HttpOptions options = {});

  const TableEndpoint& endpoint() const { return endpoint_; }

  TableResult<TablePage> list_tables(const std::string& next);
  TableResult<void> create_table(std::string_view name);
  TableResult<void> delete_table(std::string_view name);

  // Up to `top` entities in order of their keys; a page may hold fewer, or none, and not be the last.
  TableResult<std::unique_ptr<EntityPage>> query(std::string_view table, std::string_view filter, int top,
                                                 const EntityContinuation& from);
  TableResult<Entity> get(std::string_view table, const EntityKey& key);

  // All of the writes or none; they are of one partition, no key twice.
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
