// The protocol's table of contents: method, URL and headers of a request become one typed operation. Behind
// this no code reads a raw header.
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
  KeyRanges names;  // what the filter leaves, from the continuation token on (table_name_ranges())
  int page_size;    // 0: an empty page, and nothing behind it
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
  std::optional<Filter> filter;
  QueryPlan plan;  // what the filter leaves, from the continuation token on
  std::optional<Selection> select;
  int page_size;  // 0: an empty page, and nothing behind it
  std::chrono::seconds time_limit;
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

struct GetTableAcl {
  std::string table;
};

struct SetTableAcl {
  std::string table;
};

// GET of `/mytable/x`, with keys or without. The service answers 501 NotImplemented, with the headers of an operation that
// failed and not of an early error; hence an operation of its own.
struct GetBehindTable {
  std::string table;
};

using Operation = std::variant<CreateTable, QueryTables, GetTable, DeleteTable, InsertEntity, QueryEntities,
                               GetEntity, WriteEntity, Batch, GetServiceProperties, SetServiceProperties,
                               GetServiceStats, GetTableAcl, SetTableAcl, GetBehindTable>;

// The table that it addresses by its URL; empty where it addresses none.
std::string_view table_of(const Operation& operation);

// How its entities are found; nothing where it reads none by key.
std::optional<PlanClass> plan_class_of(const Operation& operation);

enum class Prefer { None, ReturnContent, ReturnNoContent };

// How the client wants its answer.
struct Preferences {
  MetadataLevel level = MetadataLevel::Minimal;
  bool json = true;  // else (`*/*` or no Accept) an error comes as XML
  Prefer prefer = Prefer::None;
};

struct OperationRequest {
  std::string_view method;
  std::string_view resource;  // raw path behind the account
  const QueryParameters& query;
  const Headers& headers;
  std::string_view account = {};  // for messages
};

// The verb that is meant: that of X-HTTP-Method where a POST tunnels one. Throws ServiceException: XMethod*.
std::string_view effective_method(std::string_view method, const Headers& headers);

// Never refuses: what it finds decides the form of all other refusals. parse_operation refuses formats that
// are not served.
Preferences parse_preferences(const OperationRequest& request);

// Throws ServiceException: InvalidUri, MethodNotAllowed, NotImplemented, InvalidInput, *FormatNotSupported,
// and all that parsing filters, keys, ETags and tokens refuses.
Operation parse_operation(const OperationRequest& request);

// The verbs of a resource, for the Allow header of a 405: `GET, POST`. `front_end`: with `?comp=`.
std::string_view allowed_methods(std::string_view resource, bool front_end);

}  // namespace rocktable
