#include "server/request/operation.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "base/uri.h"
#include "odata/filter_parser.h"
#include "odata/filter_shape.h"
#include "odata/insight/cloud_plan.h"
#include "odata/key_predicate.h"
#include "odata/protocol/continuation_token.h"

namespace rocktable {
namespace {

constexpr int kMaxPageSize = 1000;
constexpr std::chrono::seconds kMaxQueryTime{5};

// --- Resources ------------------------------------------------------------------------------------------

struct Resource {
  // BehindTable: `/mytable/x`, the URL of a table to a client that uses a table's URL as the service's.
  enum class Kind { Service, TableSet, Table, EntitySet, Entity, BehindTable, Batch, Other } kind = Kind::Other;
  std::string table;
  EntityKey key;
  bool has_unnamed_key = false;  // BehindTable: `/mytable/x('y')`
};

bool is_table_set(std::string_view name) { return equals_ignoring_case(name, "Tables"); }

bool is_alphanumeric(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  });
}

// `'mytable'`, the argument of Tables(...).
Resource parse_table(std::string_view argument) {
  if (argument.size() < 2 || argument.front() != '\'' || argument.back() != '\'')
    refuse({ErrorCode::InvalidInput, "Bad Request - Error in query syntax."});
  return {Resource::Kind::Table, std::string(argument.substr(1, argument.size() - 2)), {}};
}

// `name`, `name()` or `name(argument)`.
struct Segment {
  std::string_view name, argument;
};

Segment parse_segment(std::string_view text) {
  const auto parenthesis = text.find('(');
  Segment out{text.substr(0, parenthesis), {}};
  if (parenthesis == text.npos) return out;
  if (!text.ends_with(')')) refuse({ErrorCode::InvalidInput, "Bad Request - Error in query syntax."});
  out.argument = trim(text.substr(parenthesis + 1, text.size() - parenthesis - 2));
  return out;
}

// Ignores the name after the table, also `$batch`. Its parentheses hold one key without a name, or two named keys.
Resource parse_behind_table(std::string_view table, std::string_view text) {
  if (text.starts_with('$')) text.remove_prefix(1);
  if (!is_alphanumeric(text.substr(0, text.find('(')))) refuse(ErrorCode::InvalidUri);
  const std::string_view argument = parse_segment(text).argument;
  const bool quoted = argument.size() >= 2 && argument.front() == '\'' && argument.back() == '\'';
  if (!argument.empty() && !quoted) parse_key_predicate(argument).value();
  return {Resource::Kind::BehindTable, std::string(table), {}, quoted};
}

// The service judges the name of a table before anything else in the path.
void require_possible_name(std::string_view table) {
  if (const auto possible = check_table_name(table); !possible) refuse(possible.error());
}

Resource parse_resource(std::string_view raw) {
  std::string scratch;
  const auto decoded = percent_decode(raw, false, scratch);
  if (!decoded) refuse(ErrorCode::InvalidUri);
  std::string_view path = *decoded;
  if (path.starts_with('/')) path.remove_prefix(1);
  while (path.ends_with('/')) path.remove_suffix(1);  // an empty segment has no meaning on any resource
  if (path.empty()) return {Resource::Kind::Service, {}, {}};
  if (path.starts_with('/')) refuse(ErrorCode::InvalidUri);
  if (path == "$batch") return {Resource::Kind::Batch, {}, {}};
  if (path.starts_with('$')) return {Resource::Kind::Other, {}, {}};

  const std::string_view first = path.substr(0, path.find_first_of("/("));
  if (!is_table_set(first)) require_possible_name(first);
  if (path.substr(first.size()).starts_with('/')) {
    if (is_table_set(first)) refuse(ErrorCode::InvalidUri);
    return parse_behind_table(first, path.substr(first.size() + 1));
  }
  const auto [name, argument] = parse_segment(path);
  if (is_table_set(name)) return argument.empty() ? Resource{Resource::Kind::TableSet, {}, {}} : parse_table(argument);
  if (argument.empty()) return {Resource::Kind::EntitySet, std::string(name), {}};
  return {Resource::Kind::Entity, std::string(name), parse_key_predicate(argument).value()};
}

// --- Query options --------------------------------------------------------------------------------------

void refuse_unsupported_options(const QueryParameters& query) {
  constexpr std::array kSupported = {"$filter", "$top", "$select", "$format"};
  for (const auto& [name, value] : query.all()) {
    const auto is_name = [&option = name](std::string_view known) { return equals_ignoring_case(known, option); };
    if (name.starts_with('$') && std::none_of(kSupported.begin(), kSupported.end(), is_name))
      refuse(ErrorCode::NotImplemented);
  }
}

// With two values the meaning is ambiguous.
void refuse_repeated_options(const QueryParameters& query) {
  if (query.all().size() < 2) return;
  for (const std::string_view name :
       {"$filter", "$top", "$select", "$format", "NextPartitionKey", "NextRowKey", "NextTableName"})
    if (query.count(name) > 1) refuse(ErrorCode::InvalidInput);
}

int page_size_of(const QueryParameters& query) {
  const auto top = query.get("$top");
  if (!top) return kMaxPageSize;
  const auto number = parse_int32(*top);
  if (!number || *number < 0 || *number > kMaxPageSize) refuse(ErrorCode::InvalidInput);
  return *number;
}

std::chrono::seconds time_limit_of(const QueryParameters& query) {
  const auto timeout = query.get("timeout");
  if (!timeout) return kMaxQueryTime;
  const auto number = parse_int32(*timeout);
  if (!number || *number < 0) refuse(ErrorCode::InvalidQueryParameterValue);
  return *number == 0 ? kMaxQueryTime : std::min(kMaxQueryTime, std::chrono::seconds(*number));
}

std::optional<Filter> filter_of(const QueryParameters& query, FilterTarget target) {
  const auto text = query.get("$filter");
  if (!text || trim(*text).empty()) return std::nullopt;
  return parse_filter(*text, target).value();
}

std::optional<Selection> selection_of(const QueryParameters& query) {
  const auto text = query.get("$select");
  if (!text) return std::nullopt;
  return parse_select(*text).value();
}

QueryTables query_tables(const QueryParameters& query) {
  QueryTables out{filter_of(query, FilterTarget::Tables), all_keys(), page_size_of(query)};
  if (out.filter) out.names = table_name_ranges(*out.filter);
  if (const auto token = query.get("NextTableName")) {
    const std::string text = decode_continuation_token(*token).value();
    out.names = starting_at(std::move(out.names), {to_lower_ascii(table_name_of_token(text)), ""});
  }
  if (out.page_size == 0) out.names.clear();
  return out;
}

// The key at which a query resumes. NextRowKey may be missing (the first row of the partition), but not empty.
std::optional<EntityKey> resume_key(const QueryParameters& query) {
  const auto partition_key = query.get("NextPartitionKey"), row_key = query.get("NextRowKey");
  if (!partition_key && !row_key) return std::nullopt;
  if (!partition_key) refuse(ErrorCode::InvalidInput);
  return EntityKey{decode_continuation_token(*partition_key).value(),
                   row_key ? decode_continuation_token(*row_key).value() : std::string()};
}

QueryEntities query_entities(std::string table, const QueryParameters& query) {
  QueryEntities out{
      std::move(table),    filter_of(query, FilterTarget::Entities), {}, selection_of(query), page_size_of(query),
      time_limit_of(query)};
  out.has_top = query.get("$top").has_value();
  if (out.filter) out.shape = filter_shape(*out.filter);
  out.plan = plan_query(out.filter);
  out.cloud = cloud_plan_beside(out.plan, out.filter);
  out.resumes = resume_key(query);
  if (out.resumes) out.plan.ranges = starting_at(std::move(out.plan.ranges), *out.resumes);
  if (out.page_size == 0) {  // an empty page, and still a query of its class
    if (!out.cloud) out.cloud = std::move(out.plan);
    out.plan = {};
  }
  remove_implied_terms(out.filter, out.plan.ranges);
  return out;
}

// --- Conditions -----------------------------------------------------------------------------------------

Condition condition_of(std::string_view method, const Headers& headers) {
  if (headers.count("If-Match") > 1) refuse(invalid_etag(headers.combined("If-Match")));
  const std::string_view if_match = headers.get("If-Match");
  if (headers.has("If-None-Match")) {
    refuse({ErrorCode::InvalidInput, if_match.empty() ? "If-None-Match HTTP header cannot be specified for " +
                                                            std::string(method) + " operations."
                                                      : "Both If-Match and If-None-Match HTTP headers cannot "
                                                        "be specified at the same time. Please specify "
                                                        "either one of the headers or none of them."});
  }
  if (if_match.empty()) return {};
  if (if_match == "*") return {Condition::Kind::Any, {}};
  return {Condition::Kind::ETag, parse_etag(if_match).value()};
}

WriteEntity write_entity(WriteKind kind, Resource resource, std::string_view method, const Headers& headers) {
  const Condition condition = condition_of(method, headers);
  if (kind == WriteKind::Delete && condition.kind == Condition::Kind::None) refuse(ErrorCode::MissingRequiredHeader);
  return {kind, std::move(resource.table), std::move(resource.key), condition};
}

// --- Formats --------------------------------------------------------------------------------------------

// A media type without spaces, in lower case.
std::string normalised(std::string_view media_type) {
  std::string out = to_lower_ascii(media_type);
  out.erase(std::remove_if(out.begin(), out.end(), [](char c) { return c == ' ' || c == '\t'; }), out.end());
  return out;
}

enum class Format { None, Minimal, Full, Verbose, Any, Atom, Missing, Unknown };

Format format_of_type(std::string_view type) {
  const auto name = type.substr(0, type.find(';'));
  if (name == "application/json") {
    if (type.find("odata=nometadata") != type.npos) return Format::None;
    if (type.find("odata=fullmetadata") != type.npos) return Format::Full;
    if (type.find("odata=verbose") != type.npos) return Format::Verbose;
    return Format::Minimal;
  }
  if (name == "*/*" || name == "application/*") return Format::Any;
  if (name == "application/atom+xml") return Format::Atom;
  return Format::Unknown;
}

// The exact texts that SDKs send. The rule below parses all other spellings.
struct UsualSpelling {
  std::string_view text;
  Format format;
};

constexpr std::array kUsualSpellings = {
    UsualSpelling{"application/json;odata=minimalmetadata", Format::Minimal},
    UsualSpelling{"application/json;odata=nometadata", Format::None},
    UsualSpelling{"application/json", Format::Minimal},
    UsualSpelling{"application/json;odata=fullmetadata", Format::Full},
};

std::optional<Format> usual_format(std::string_view text) {
  const auto* found = std::find_if(kUsualSpellings.begin(), kUsualSpellings.end(),
                                   [text](const UsualSpelling& one) { return one.text == text; });
  return found != kUsualSpellings.end() ? std::optional(found->format) : std::nullopt;
}

bool is_json(Format format) { return format == Format::None || format == Format::Minimal || format == Format::Full; }

// The best of a list of types: the first JSON type, else the first known type.
Format format_of_list(std::string_view list) {
  if (const auto usual = usual_format(list)) return *usual;
  const std::string types = normalised(list);
  if (types.empty()) return Format::Missing;
  Format best = Format::Unknown;
  for (std::string_view rest = types; !rest.empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    const Format format = format_of_type(rest.substr(0, comma));
    if (is_json(format)) return format;
    if (best == Format::Unknown || format == Format::Any) best = format;
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return best;
}

Format requested_format(const OperationRequest& request) {
  const auto format = request.query.get("$format");
  if (format && !format->empty()) return format_of_list(*format);
  const std::string_view* accept = nullptr;
  for (const auto& [name, value] : request.headers.all()) {
    if (!equals_ignoring_case(name, "Accept")) continue;
    if (accept != nullptr) return format_of_list(request.headers.combined("Accept"));
    accept = &value;
  }
  return format_of_list(accept != nullptr ? *accept : std::string_view());
}

// For operations whose response has a body. Without Accept the format is Atom, which the service does not support any
// more.
void require_json(Format requested) {
  switch (requested) {
    case Format::Missing:
      refuse(ErrorCode::AtomFormatNotSupported);
    case Format::Verbose:
      refuse(ErrorCode::JsonVerboseFormatNotSupported);
    case Format::Unknown:
      refuse(ErrorCode::MediaTypeNotSupported);
    default:
      return;
  }
}

// For operations whose request has a body.
void require_json_body(const Headers& headers) {
  const auto type = headers.get("Content-Type");
  if (type.empty()) return;
  const auto usual = usual_format(type);
  const Format format = usual ? *usual : format_of_type(normalised(type));
  if (format == Format::Atom) refuse(ErrorCode::AtomFormatNotSupported);
  if (format == Format::Verbose) refuse(ErrorCode::JsonVerboseFormatNotSupported);
  if (!is_json(format)) refuse(ErrorCode::MediaTypeNotSupported);
}

// Inserts, replacements and merges have a preference. Other operations, tunnelled ones too, ignore the header.
Prefer prefer_of(std::string_view method, const Headers& headers) {
  constexpr std::array kPreferring = {std::string_view("POST"), std::string_view("PUT"), std::string_view("MERGE"),
                                      std::string_view("PATCH")};
  if (method == "POST" && headers.has("X-HTTP-Method")) method = headers.get("X-HTTP-Method");
  if (std::find(kPreferring.begin(), kPreferring.end(), method) == kPreferring.end()) return Prefer::None;
  const auto prefer = trim(headers.get("Prefer"));
  if (equals_ignoring_case(prefer, "return-no-content")) return Prefer::ReturnNoContent;
  if (equals_ignoring_case(prefer, "return-content")) return Prefer::ReturnContent;
  return Prefer::None;
}

bool wants_no_content(const OperationRequest& request) {
  return prefer_of(request.method, request.headers) == Prefer::ReturnNoContent;
}

InsertEntity insert_entity(std::string table, const OperationRequest& request, Format format) {
  if (!wants_no_content(request)) require_json(format);
  require_json_body(request.headers);
  return {std::move(table)};
}

std::string_view allowed_methods(Resource::Kind kind) {
  switch (kind) {
    case Resource::Kind::TableSet:
    case Resource::Kind::EntitySet:
      return "GET, POST";
    case Resource::Kind::Table:
      return "GET, DELETE";
    case Resource::Kind::Entity:
      return "GET, PUT, MERGE, PATCH, DELETE";
    case Resource::Kind::Batch:
      return "POST";
    default:
      return "GET";
  }
}

// --- The front end --------------------------------------------------------------------------------------

Operation service_operation(std::string_view comp, std::optional<std::string_view> restype, std::string_view method) {
  if (!restype) refuse(ErrorCode::MissingRequiredQueryParameter);
  if (!equals_ignoring_case(*restype, "service")) refuse(ErrorCode::InvalidQueryParameterValue);
  if (equals_ignoring_case(comp, "stats")) {
    if (method == "GET") return GetServiceStats{};
  } else if (equals_ignoring_case(comp, "properties")) {
    if (method == "GET") return GetServiceProperties{};
    if (method == "PUT") return SetServiceProperties{};
  } else if (equals_ignoring_case(comp, "userdelegationkey")) {
    if (method == "POST") return GetUserDelegationKey{};
  } else {
    refuse(ErrorCode::InvalidQueryParameterValue);
  }
  refuse(ErrorCode::MethodNotAllowed);
}

// The ACL supports only XML. The service refuses `*/*`, too.
Operation acl_operation(std::string table, std::string_view method, const Headers& headers) {
  const bool get = method == "GET" || method == "HEAD";
  if (!get && method != "PUT") refuse(ErrorCode::MethodNotAllowed);
  const std::string accept = normalised(headers.get("Accept"));
  if (!accept.empty() && accept.find("application/xml") == accept.npos) refuse(ErrorCode::MediaTypeNotSupported);
  if (get) return GetTableAcl{std::move(table)};
  return SetTableAcl{std::move(table)};
}

Operation front_end_operation(Resource resource, std::string_view comp, std::string_view method,
                              const OperationRequest& request) {
  if (resource.kind == Resource::Kind::Service) return service_operation(comp, request.query.get("restype"), method);
  if (resource.kind != Resource::Kind::EntitySet || !equals_ignoring_case(comp, "acl"))
    refuse(ErrorCode::InvalidQueryParameterValue);
  return acl_operation(std::move(resource.table), method, request.headers);
}

}  // namespace

std::string_view table_of(const Operation& operation) {
  return std::visit(
      [](const auto& one) -> std::string_view {
        if constexpr (requires { one.table; }) {
          return one.table;
        } else {
          return {};
        }
      },
      operation);
}

std::optional<PlanClass> cloud_class_of(const Operation& operation) {
  if (const auto* query = std::get_if<QueryEntities>(&operation))
    return query->cloud ? query->cloud->plan_class : query->plan.plan_class;
  if (std::holds_alternative<GetEntity>(operation)) return PlanClass::Point;
  return std::nullopt;
}

std::string_view effective_method(const OperationRequest& request) {
  const auto& [method, resource, query, headers, in_batch] = request;
  constexpr std::array kTunnelled = {std::string_view("MERGE"), std::string_view("PUT"), std::string_view("DELETE"),
                                     std::string_view("PATCH")};
  const int count = headers.count("X-HTTP-Method");
  if (count == 0) return method;
  if (count > 1) refuse(ErrorCode::XMethodIncorrectCount);
  // The legacy library for Java names the method in both places.
  if (in_batch && headers.get("X-HTTP-Method") == method) return method;
  if (method != "POST") refuse(ErrorCode::XMethodNotUsingPost);
  const auto meant = std::find(kTunnelled.begin(), kTunnelled.end(), headers.get("X-HTTP-Method"));
  if (meant == kTunnelled.end()) refuse(ErrorCode::XMethodIncorrectValue);
  return *meant;
}

Preferences parse_preferences(const OperationRequest& request) {
  Preferences out;
  const Format format = requested_format(request);
  out.json = is_json(format);
  if (format == Format::None) out.level = MetadataLevel::None;
  if (format == Format::Full) out.level = MetadataLevel::Full;
  out.prefer = prefer_of(request.method, request.headers);
  return out;
}

Operation parse_operation(const OperationRequest& request) {
  const std::string_view method = effective_method(request);
  const bool get = method == "GET", post = method == "POST", remove = method == "DELETE";
  Resource resource = parse_resource(request.resource);
  if (const auto comp = request.query.get("comp"))
    return front_end_operation(std::move(resource), *comp, method, request);
  // The response to a batch is multipart/mixed, whatever Accept says. azure-storage for JavaScript asks for Atom.
  const Format format = requested_format(request);
  if (resource.kind != Resource::Kind::Batch && format == Format::Atom) refuse(ErrorCode::AtomFormatNotSupported);
  refuse_unsupported_options(request.query);
  refuse_repeated_options(request.query);

  switch (resource.kind) {
    case Resource::Kind::TableSet:
      if (get || (post && !wants_no_content(request))) require_json(format);
      if (get) return query_tables(request.query);
      if (post) require_json_body(request.headers);
      if (post) return CreateTable{};
      break;
    case Resource::Kind::Table:
      if (get) require_json(format);
      if (get) return GetTable{std::move(resource.table)};
      if (remove) return DeleteTable{std::move(resource.table)};
      break;
    case Resource::Kind::EntitySet:
      if (get) require_json(format);
      if (get) return query_entities(std::move(resource.table), request.query);
      if (post) return insert_entity(std::move(resource.table), request, format);
      break;
    case Resource::Kind::Entity: {
      if (get) require_json(format);
      if (get) return GetEntity{std::move(resource.table), std::move(resource.key), selection_of(request.query)};
      const auto kind = method == "PUT"                          ? WriteKind::Replace
                        : method == "MERGE" || method == "PATCH" ? WriteKind::Merge
                                                                 : WriteKind::Delete;
      if (kind == WriteKind::Delete && !remove) break;
      if (kind != WriteKind::Delete) require_json_body(request.headers);
      return write_entity(kind, std::move(resource), method, request.headers);
    }
    case Resource::Kind::BehindTable:
      if (post) return insert_entity(std::move(resource.table), request, format);
      if (get) return GetTableSubpath{std::move(resource.table)};
      if (resource.has_unnamed_key) return WriteTableSubpath{std::move(resource.table)};
      refuse(ErrorCode::NotImplemented);
    case Resource::Kind::Batch:
      if (post) return Batch{std::string(request.headers.get("Content-Type"))};
      break;
    case Resource::Kind::Service:
      refuse(request.query.get("restype") ? ErrorCode::MissingRequiredQueryParameter : ErrorCode::InvalidUri);
    case Resource::Kind::Other:
      refuse(ErrorCode::NotImplemented);
  }
  refuse(ErrorCode::MethodNotAllowed);
}

std::string_view allowed_methods(std::string_view resource, bool front_end) {
  if (front_end) return "GET, HEAD, PUT";
  return allowed_methods(parse_resource(resource).kind);
}

}  // namespace rocktable
