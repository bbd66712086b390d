// Requests of any bytes (lines: method, resource, query, then header lines) as an operation: refused with a
// valid error, or an operation within its limits that reads no more than its filter and its token allow.
#include "base/text.h"
#include "odata/filter_parser.h"
#include "odata/key_predicate.h"
#include "server/request/operation.h"
#include "server/request/operation_table.h"
#include "tests/fuzz/header_lines.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

struct Sent {
  std::vector<std::string> lines;
  QueryParameters query;
  Headers headers;

  OperationRequest request() const { return {lines[0], lines[1], query, headers}; }
};

void check_table(std::string_view table) {
  require(check_table_name(table).has_value(), "a table's name that is none");
}

void check_selection(const std::optional<Selection>& select) {
  require(!select || select->names.size() <= kMaxProperties + 3, "too many names selected");
}

// Checks that the URL of the entity addresses the same entity.
void check_key(const std::string& table, const EntityKey& key) {
  std::string url = "/" + table;
  append_key_predicate(url, key.partition_key, key.row_key);
  const QueryParameters no_query;
  Headers headers;
  headers.add("Accept", "application/json");
  const Operation again = parse_operation({"GET", url, no_query, headers});
  const auto* get = std::get_if<GetEntity>(&again);
  require(get != nullptr && get->table == table && get->key == key, "an entity's URL leads elsewhere");
}

void check_query(const QueryEntities& query, const QueryParameters& parameters) {
  check_table(query.table);
  check_selection(query.select);
  require(query.page_size >= 0 && query.page_size <= 1000, "a page beyond its limits");
  require(query.time_limit.count() >= 1 && query.time_limit.count() <= 5, "a time beyond its limits");
  Places(query.plan.ranges).require_order(to_string(query.plan));
  // `query.filter` lacks the terms that the plan implies.
  const std::string text(trim(parameters.get("$filter").value_or("")));
  const std::optional<Filter> filter = text.empty() ? std::nullopt : std::optional(parse_filter(text).value());
  if (filter) require_sound_plan(filter);
  if (query.page_size == 0) return require(query.plan.ranges.empty(), "an empty page reads something");
  // With a token, a query reads nothing that it would not read without it.
  const Places whole(plan_query(filter).ranges), rest(query.plan.ranges);
  const bool resumes = parameters.get("NextPartitionKey").has_value();
  for (const auto& row : fuzz_entities().rows)
    require(resumes ? !rest.contain(row.place) || whole.contain(row.place)
                    : rest.contain(row.place) == whole.contain(row.place),
            "a token leads to other entities");
}

struct Check {
  const Sent& sent;

  void operator()(const QueryEntities& query) const { check_query(query, sent.query); }
  void operator()(const QueryTables& query) const {
    require(query.page_size >= 0 && query.page_size <= 1000, "a page beyond its limits");
    require(query.page_size > 0 || query.names.empty(), "an empty page reads something");
    Places(query.names).require_order(to_string(query.names));
    if (!query.filter || sent.query.get("NextTableName") || query.page_size == 0) return;
    const Places names(query.names);  // contain exactly what the filter accepts
    for (const std::string_view name : kFuzzKeys) {
      const PropertyView property{"TableName", name};
      require(matches(*query.filter, EntityView{{}, {}, {}, {&property, 1}}) ==
                  names.contain(place_of({std::string(name), ""})),
              "names beside what the filter takes");
    }
  }
  void operator()(const GetEntity& get) const {
    check_selection(get.select);
    check_table(get.table);
    check_key(get.table, get.key);
  }
  void operator()(const WriteEntity& write) const {
    check_table(write.table);
    check_key(write.table, write.key);
    require(write.kind != WriteKind::Delete || write.condition.kind != Condition::Kind::None,
            "a delete without condition");
  }
  void operator()(const InsertEntity& insert) const { check_table(insert.table); }
  void operator()(const GetTableSubpath& get) const { check_table(get.table); }
  void operator()(const WriteTableSubpath& remove) const { check_table(remove.table); }
  void operator()(const GetTableAcl& get) const { check_table(get.table); }
  void operator()(const SetTableAcl& set) const { check_table(set.table); }
  template <class Other>
  void operator()(const Other&) const {}
};

void check_operation(const Sent& sent) {
  const Operation operation = parse_operation(sent.request());
  const auto method = effective_method(sent.request());
  require(row_of(operation).is_write != (method == "GET" || method == "HEAD"), "a read that writes, or a write by GET");
  require(!row_of(operation).name.empty(), "an operation without a name");
  require(cloud_class_of(operation).has_value() ==
              (std::holds_alternative<QueryEntities>(operation) || std::holds_alternative<GetEntity>(operation)),
          "a plan of what reads nothing");
  std::visit(Check{sent}, operation);
}

}  // namespace

void fuzz_operation(std::string_view input) {
  Sent sent{lines_of(input), {}, {}};
  sent.lines.resize(std::max<std::size_t>(sent.lines.size(), 3));
  sent.headers = headers_of(sent.lines, 3);
  auto query = QueryParameters::parse(sent.lines[2]);
  if (!query) return require_refusal(query.error(), input.size());
  sent.query = *std::move(query);
  parse_preferences(sent.request());  // never fails
  try {
    check_operation(sent);
  } catch (const ServiceException& refusal) {
    require_refusal(refusal.error(), input.size());
    if (refusal.error().code == ErrorCode::MethodNotAllowed)
      require(!allowed_methods(sent.lines[1], sent.query.get("comp").has_value()).empty(),
              "refused, and no other method to use");
  }
}

}  // namespace rocktable
