// Turns method, URL and headers of a request into one typed operation. Code that runs after this reads no raw header.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "odata/filter.h"
#include "odata/payload_writer.h"
#include "odata/protocol/headers.h"
#include "odata/query_plan.h"
#include "server/request/target.h"
#include "storage/mutation.h"

namespace rocktable {

struct CreateTable {};

struct QueryTables {
  std::optional<Filter> filter;  // of names in lower case
  KeyRanges names;               // those that the filter allows, from the continuation token on (table_name_ranges())
  int page_size;                 // 0: an empty page without continuation
};

struct GetTable {
  std::string table;
};

struct DeleteTable {
  std::string table;
};

struct InsertEntity {
  std::string table;
};

struct QueryEntities {
  std::string table;
  std::optional<Filter> filter;  // without the terms that the plan implies
  QueryPlan plan;                // the ranges that the filter allows, from the continuation token on
  std::optional<Selection> select;
  int page_size;  // 0: an empty page without continuation
  std::chrono::seconds time_limit;
  bool has_top = false;                   // the client gave the page size
  std::string shape = {};                 // filter_shape() of the whole filter; empty: none
  std::optional<EntityKey> resumes = {};  // the continuation token
  std::optional<QueryPlan> cloud = {};    // what the service would read, from its beginning; nullopt: the same
};

struct GetEntity {
  std::string table;
  EntityKey key;
  std::optional<Selection> select;
};

// Update and insert-or-replace (PUT), merge and insert-or-merge (PATCH, MERGE), delete.
struct WriteEntity {
  WriteKind kind;
  std::string table;
  EntityKey key;
  Condition condition;
};

struct Batch {
  std::string content_type;
};

// The front end's operations: `?comp=...`.
struct GetServiceProperties {};
struct SetServiceProperties {};
struct GetServiceStats {};

// POST `?restype=service&comp=userdelegationkey`
struct GetUserDelegationKey {};

struct GetTableAcl {
  std::string table;
};

struct SetTableAcl {
  std::string table;
};

// GET of `/mytable/x`, with or without keys. An operation, because the service returns 501 NotImplemented with the
// headers of a failed operation, not with those of an early error.
struct GetTableSubpath {
  std::string table;
};

// DELETE, PUT, MERGE or PATCH of `/mytable/x('y')`. An operation, because the service looks up the table before it
// counts the keys.
struct WriteTableSubpath {
  std::string table;
};

using Operation = std::variant<CreateTable, QueryTables, GetTable, DeleteTable, InsertEntity, QueryEntities, GetEntity,
                               WriteEntity, Batch, GetServiceProperties, SetServiceProperties, GetServiceStats,
                               GetUserDelegationKey, GetTableAcl, SetTableAcl, GetTableSubpath, WriteTableSubpath>;

// The table in its URL; empty if there is none.
std::string_view table_of(const Operation& operation);

// How the service would find its entities. Returns nullopt if it reads none by key.
std::optional<PlanClass> cloud_class_of(const Operation& operation);

enum class Prefer { None, ReturnContent, ReturnNoContent };

// How the client wants its response.
struct Preferences {
  MetadataLevel level = MetadataLevel::Minimal;
  bool json = true;  // else (`*/*` or no Accept) errors are XML
  Prefer prefer = Prefer::None;
};

struct OperationRequest {
  std::string_view method;
  std::string_view resource;  // raw path after the account
  const QueryParameters& query;
  const Headers& headers;
  bool in_batch = false;
};

// The method, or that of X-HTTP-Method if a POST tunnels it. Within a batch the header may also name the method itself.
// Throws ServiceException: XMethod*.
std::string_view effective_method(const OperationRequest& request);

// Never throws, because its result decides the form of all refusals. parse_operation refuses unsupported formats.
Preferences parse_preferences(const OperationRequest& request);

// Throws ServiceException: InvalidUri, MethodNotAllowed, NotImplemented, InvalidInput, *FormatNotSupported,
// and the errors of parsing filters, keys, ETags and tokens.
Operation parse_operation(const OperationRequest& request);

// The methods of a resource, for the Allow header of a 405: `GET, POST`. `front_end`: with `?comp=`.
std::string_view allowed_methods(std::string_view resource, bool front_end);

}  // namespace rocktable
