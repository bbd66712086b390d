#include "server/handlers/batch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/text.h"
#include "odata/payload_reader.h"
#include "odata/protocol/multipart.h"
#include "server/access/refusal_explanation.h"
#include "server/handlers/entities.h"
#include "server/request/error_response.h"
#include "server/request/operation_table.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOperations = 100;
constexpr const char* kTooManyOperations =
    "The batch request operation exceeds the maximum 100 changes per change set.";

// One part of the request, as far as it could be parsed.
struct RequestPart {
  Preferences preferences;
  std::string_view content_id;
  bool is_parsed = false;  // its URL and headers are those of an operation
};

struct ChangeSetPart {
  RequestPart part;
  bool insert = false;
  AddressedMutation change;
};

// Why a batch failed. One part of the response reports it for all operations.
struct Failure {
  enum class Form {
    Executed,    // the operation itself failed
    Early,       // likewise, but without Cache-Control and Preference-Applied
    Unreadable,  // the part could not be read
  };

  std::size_t index;
  Error error;
  RequestPart part;
  Form form = Form::Executed;
  bool indexed = true;  // the message starts with `index:`
  std::string explanation = {};
};

Failure::Form form_of(const Error& error, const RequestPart& part) {
  return !part.is_parsed || is_early(error.code) ? Failure::Form::Early : Failure::Form::Executed;
}

// --- Parts of the response --------------------------------------------------------------------------------
//
// Header lines stand in the order of the service. A part of the response has no others.

void append_status(std::string& out, int status) {
  out += "HTTP/1.1 ";
  out += std::to_string(status);
  out += ' ';
  out += reason_phrase(status);
  out += "\r\n";
}

void append_content_id(std::string& out, const RequestPart& part) {
  if (!part.content_id.empty()) append_field(out, "Content-ID", part.content_id);
}

void append_common(std::string& out) { out += "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n"; }

void append_json_type(std::string& out, const RequestPart& part) {
  append_field(out, "Content-Type", json_content_type(part.preferences.level));
}

void append_inserted_with_content(std::string& out, const RequestContext& context, const ChangeSetPart& write,
                                  DateTime timestamp) {
  append_status(out, 201);
  append_field(out, "DataServiceVersion", "3.0;");
  append_json_type(out, write.part);
  append_content_id(out, write.part);
  append_common(out);
  append_preference_applied(out, write.part.preferences);
  out += "Location: ";
  append_entity_location(out, context, write.change);
  out += "\r\n";
  append_etag_field(out, timestamp);
  out += "\r\n";
  append_inserted_entity(out, payload_format(context, write.change.table, write.part.preferences.level), write.change,
                         timestamp);
}

void append_success(std::string& out, const RequestContext& context, const ChangeSetPart& write, DateTime timestamp) {
  const Prefer prefer = write.part.preferences.prefer;
  if (write.insert && prefer != Prefer::ReturnNoContent)
    return append_inserted_with_content(out, context, write, timestamp);
  out += "HTTP/1.1 204 No Content\r\n";
  append_content_id(out, write.part);
  append_common(out);
  append_preference_applied(out, write.part.preferences);
  append_field(out, "DataServiceVersion", prefer == Prefer::None ? "1.0;" : "3.0;");
  if (write.insert) {
    out += "Location: ";
    const std::size_t begin = out.size();
    append_entity_location(out, context, write.change);
    const std::size_t length = out.size() - begin;
    out += "\r\nDataServiceId: ";
    out.append(out, begin, length);
    out += "\r\n";
  }
  if (write.change.write.kind != WriteKind::Delete) append_etag_field(out, timestamp);
  out += "\r\n";
}

void append_unreadable(std::string& out, const RequestContext& context, const Error& error) {
  append_status(out, status_of(error.code));
  append_field(out, "DataServiceVersion", "1.0;");
  append_field(out, "Content-Type", kXmlErrorType);
  out += "\r\n";
  out += xml_error_body(error, context);
}

void append_failure(std::string& out, const RequestContext& context, const Failure& failure) {
  if (failure.form == Failure::Form::Unreadable) return append_unreadable(out, context, failure.error);
  Error error = failure.error;
  if (failure.indexed) error.message = std::to_string(failure.index) + ":" + error.message;
  append_status(out, status_of(error.code));
  const bool early = failure.form == Failure::Form::Early;
  append_content_id(out, failure.part);
  append_field(out, "X-Content-Type-Options", "nosniff");
  if (!early) append_field(out, "Cache-Control", "no-cache");
  if (!early) append_preference_applied(out, failure.part.preferences);
  append_field(out, "DataServiceVersion", "3.0;");
  append_json_type(out, failure.part);
  out += "\r\n";
  out += json_error_body(error, context);
}

// --- Parts of the request ---------------------------------------------------------------------------------

// The path after the account, which parts may or may not name. The account alone is a table of that name, unless the
// URL is absolute and the account is a part of the path: then it is the service.
std::string_view without_account(std::string_view path, const Target& target, bool absolute) {
  constexpr std::string_view kSecondary = "-secondary";
  if (path.substr(0, 1) != "/" || !path.substr(1).starts_with(target.account)) return path;
  std::string_view rest = path.substr(1 + target.account.size());
  if (rest.starts_with(kSecondary)) rest.remove_prefix(kSecondary.size());
  if (rest.empty() && absolute && target.base_url.ends_with(path)) return "/";
  if (rest.starts_with("//") && !rest.starts_with("///")) rest.remove_prefix(1);  // as in the URL of a request
  return rest.starts_with('/') ? rest : path;
}

// Parses one part. Fills `part` even if the operation is refused, because the form of the response depends on it.
Operation parse_part(const BatchPartHead& head, const RequestContext& context, RequestPart& part) {
  const std::string url = path_of_url(head.target);
  const auto question = url.find('?');
  const auto query = QueryParameters::parse(question == url.npos ? "" : std::string_view(url).substr(question + 1));
  part.content_id = head.headers->get("Content-ID");
  const QueryParameters no_query;
  const OperationRequest request{head.method,
                                 without_account(std::string_view(url).substr(0, question), context.target,
                                                 head.target.find("://") != head.target.npos),
                                 query ? *query : no_query, *head.headers, true};
  part.preferences = parse_preferences(request);
  query.value();
  if (request.resource == "/") throw ServiceException(ErrorCode::MethodNotAllowed);
  Operation operation = parse_operation(request);
  part.is_parsed = true;
  require_access(context, operation);
  return operation;
}

// Turns the parts of a change set into mutations.
class ChangeSetReader {
 public:
  ChangeSetReader(const Store& store, const RequestContext& context) : store_(store), context_(context) {}

  // Fills `part` even if the operation is refused.
  ChangeSetPart read(const BatchPart& raw, RequestPart& part) {
    if (raw.head == insert_head_) {  // a further insert
      part = insert_part_;
      return checked({part, true, to_mutation(store_, context_, insert_, raw.body)});
    }
    Operation operation = parse_part(*raw.head, context_, part);
    if (auto* write = std::get_if<WriteEntity>(&operation))
      return checked({part, false, to_mutation(store_, context_, std::move(*write), raw.body)});
    const auto* insert = std::get_if<InsertEntity>(&operation);
    if (insert == nullptr) refuse_operation(part);
    insert_head_ = raw.head;
    insert_part_ = part;
    insert_ = *insert;
    return checked({part, true, to_mutation(store_, context_, insert_, raw.body)});
  }

 private:
  // For an operation that no change set may hold.
  [[noreturn]] static void refuse_operation(RequestPart& part) {
    part.is_parsed = false;
    throw ServiceException(ErrorCode::MethodNotAllowed);
  }

  ChangeSetPart checked(ChangeSetPart part) const {
    require_entity_access(context_, part.change);
    return part;
  }

  const Store& store_;
  const RequestContext& context_;
  std::shared_ptr<const BatchPartHead> insert_head_;  // of the last insert
  RequestPart insert_part_;
  InsertEntity insert_;
};

// Checks that the writes form one transaction, before anything is read.
class TransactionRules {
 public:
  // `earlier`: the writes that were checked before.
  std::optional<Error> violation(const AddressedMutation& write, std::span<const ChangeSetPart> earlier) {
    if (earlier.empty()) return std::nullopt;
    const AddressedMutation& first = earlier.front().change;
    if (!equals_ignoring_case(first.table, write.table) || first.partition_key != write.partition_key)
      return Error(ErrorCode::CommandsInBatchActOnDifferentPartitions);
    const std::string& row_key = write.write.row_key;
    if (row_keys_.empty() && earlier.back().change.write.row_key < row_key) return std::nullopt;
    if (row_keys_.empty())
      for (const auto& one : earlier) row_keys_.insert(one.change.write.row_key);
    if (!row_keys_.insert(row_key).second) return Error(ErrorCode::InvalidDuplicateRow);
    return std::nullopt;
  }

 private:
  std::set<std::string> row_keys_;  // empty while row keys ascend: then none occurs twice
};

// --- Transactions and queries ---------------------------------------------------------------------------

void note_writes(RequestNotes& notes, std::vector<ChangeSetPart>& committed) {
  notes.table = std::move(committed.front().change.table);
  notes.partition_key = std::move(committed.front().change.partition_key);
  notes.writes.reserve(committed.size());
  for (auto& one : committed) notes.writes.push_back(std::move(one.change.write));
}

std::optional<Failure> commit(Store& store, const RequestContext& context, std::vector<ChangeSetPart>& prepared,
                              BatchResponseWriter& response, RequestStats& stats, RequestNotes& notes) {
  std::vector<Mutation> writes;  // moved here and back, because the store takes a contiguous range
  writes.reserve(prepared.size());
  for (auto& one : prepared) writes.push_back(std::move(one.change.write));
  const AddressedMutation& first = prepared.front().change;
  const auto timestamp = store.commit({context.target.account, first.table}, first.partition_key, writes, stats);
  for (std::size_t i = 0; i < writes.size(); ++i) prepared[i].change.write = std::move(writes[i]);
  if (timestamp) {
    for (const auto& one : prepared) append_success(response.add_part(), context, one, *timestamp);
    note_writes(notes, prepared);
    return std::nullopt;
  }
  // The service omits the index if the only operation of the batch fails in the store.
  const WriteRefusal& refusal = timestamp.error();
  const bool indexed = prepared.size() > 1 || refusal.error.code == ErrorCode::TableNotFound;
  const RequestPart& part = prepared[refusal.position].part;
  return Failure{refusal.position, refusal.error, part, form_of(refusal.error, part), indexed};
}

// Runs `step` on one part. Returns its refusal, or nullopt.
template <class Step>
std::optional<ServiceException> refusal_of(const Step& step) {
  try {
    step();
    return std::nullopt;
  } catch (const ServiceException& refusal) {
    return refusal;
  }
}

Failure to_failure(std::size_t index, const ServiceException& refusal, const RequestPart& part) {
  const Error& error = refusal.error();
  return {index, error, part, form_of(error, part), true, refusal.explanation()};
}

// A query, or a method that nobody knows, refuses the whole change set.
void require_write(const BatchPartHead& head) {
  constexpr std::array kWrites = {std::string_view("POST"), std::string_view("PUT"), std::string_view("PATCH"),
                                  std::string_view("MERGE"), std::string_view("DELETE")};
  if (std::find(kWrites.begin(), kWrites.end(), head.method) == kWrites.end())
    throw ServiceException(ErrorCode::InvalidInput);
}

std::optional<Failure> run_change_set(Store& store, const RequestContext& context, const BatchRequest& request,
                                      BatchResponseWriter& response, RequestStats& stats, RequestNotes& notes) {
  std::vector<ChangeSetPart> prepared;
  prepared.reserve(std::min(request.parts.size(), kMaxOperations));
  ChangeSetReader reader(store, context);
  TransactionRules rules;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    RequestPart part;
    const BatchPart& raw = request.parts[i];
    if (!raw.head) return Failure{i, unreadable_body(), part, Failure::Form::Unreadable};
    require_write(*raw.head);
    if (i == kMaxOperations) {
      refusal_of([&] { parse_part(*raw.head, context, part); });
      // The service reports the index of the last allowed operation, not of the one beyond the limit.
      return Failure{i - 1, {ErrorCode::InvalidInput, kTooManyOperations}, part, Failure::Form::Executed};
    }
    const auto refusal = refusal_of([&] {
      ChangeSetPart write = reader.read(raw, part);
      if (const auto violation = rules.violation(write.change, prepared)) throw ServiceException(*violation);
      prepared.push_back(std::move(write));
    });
    if (!refusal) continue;
    // The table is looked up for the first operation.
    if (refusal->error().code == ErrorCode::TableNotFound && i > 0)
      return to_failure(0, *refusal, prepared.front().part);
    return to_failure(i, *refusal, part);
  }
  if (prepared.empty()) return std::nullopt;
  return commit(store, context, prepared, response, stats, notes);
}

void find(const Store& store, const RequestContext& context, const RequestPart& part, const GetEntity& query,
          BatchResponseWriter& response, RequestStats& stats) {
  const auto render = [&](const EntityView& entity) {
    std::string& out = response.add_part();
    append_status(out, 200);
    append_field(out, "DataServiceVersion", "3.0;");
    append_json_type(out, part);
    append_content_id(out, part);
    append_common(out);
    append_etag_field(out, entity.timestamp);
    out += "\r\n";
    write_entity(out, payload_format(context, query.table, part.preferences.level), query.select, entity);
  };
  if (!store.get({context.target.account, query.table}, query.key, render, stats).value())
    throw ServiceException(ErrorCode::ResourceNotFound);
}

bool is_query(const BatchRequest& request) {
  return !request.change_set && request.parts.front().head->method == "GET";
}

std::optional<Failure> run_query(const Store& store, const RequestContext& context, const BatchPart& raw,
                                 BatchResponseWriter& response, RequestStats& stats) {
  if (raw.head->method != "GET") throw ServiceException(ErrorCode::InvalidInput);
  RequestPart part;
  bool is_point = true;
  const auto refusal = refusal_of([&] {
    const Operation operation = parse_part(*raw.head, context, part);
    const auto* query = std::get_if<GetEntity>(&operation);
    is_point = query != nullptr;
    if (is_point) find(store, context, part, *query, response, stats);
  });
  if (!is_point) throw ServiceException(ErrorCode::InvalidInput);  // a query of a set
  if (refusal) return to_failure(0, *refusal, part);
  return std::nullopt;
}

}  // namespace

namespace {

std::string changes_boundary(const BatchRequest& request) {
  return request.change_set ? "changesetresponse_" + new_guid() : std::string();
}

Response batch_response(const RequestContext& context, const std::string& boundary, BatchResponseWriter& parts,
                        const std::optional<Failure>& failure) {
  Response response = table_layer_response(context, 202);
  response.add("Content-Type", "multipart/mixed; boundary=" + boundary);
  response.framing = Response::Framing::Chunked;
  if (failure) {
    append_failure(parts.add_part(), context, *failure);
    response.error = failure->error.code;
    response.explanation = failure->explanation;
  }
  response.body = parts.finish();
  return response;
}

}  // namespace

Response run_batch(Store& store, const RequestContext& context, const Batch& operation, const std::string& body,
                   RequestStats& stats, RequestNotes& notes) {
  auto parsed = parse_batch(operation.content_type, body);
  if (context.target.secondary && !(parsed && is_query(*parsed)))
    throw ServiceException(ErrorCode::InsufficientAccountPermissions);
  const BatchRequest request = std::move(parsed).value();
  const std::string boundary = "batchresponse_" + new_guid();
  constexpr std::size_t kUsualPart = 640;
  BatchResponseWriter parts(boundary, changes_boundary(request), (request.parts.size() + 1) * kUsualPart);
  const auto failure = request.change_set ? run_change_set(store, context, request, parts, stats, notes)
                                          : run_query(store, context, request.parts.front(), parts, stats);
  return batch_response(context, boundary, parts, failure);
}

Response failed_batch(const RequestContext& context, const Batch& operation, const std::string& body,
                      std::size_t position, const Error& error) {
  const BatchRequest request = parse_batch(operation.content_type, body).value();
  const std::string boundary = "batchresponse_" + new_guid();
  BatchResponseWriter parts(boundary, changes_boundary(request), 0);
  Failure failure{position, error, {}};
  if (position < request.parts.size() && request.parts[position].head)
    refusal_of([&] { parse_part(*request.parts[position].head, context, failure.part); });
  failure.form = form_of(error, failure.part);
  return batch_response(context, boundary, parts, failure);
}

void add_batch_entities(RequestFacts& facts, const RequestContext& context, const Batch& operation,
                        const std::string& body) {
  const BatchRequest request = parse_batch(operation.content_type, body).value();
  for (const BatchPart& raw : request.parts) {
    if (!raw.head) throw ServiceException(unreadable_body());
    RequestPart part;
    const Operation parsed = parse_part(*raw.head, context, part);
    if (facts.table.empty()) facts.table = table_of(parsed);
    if (const auto* write = std::get_if<WriteEntity>(&parsed)) {
      facts.entities.push_back(
          {name_of_write(write->kind, write->condition), write->key.partition_key, write->key.row_key});
    } else if (const auto* insert = std::get_if<InsertEntity>(&parsed)) {
      AddressedMutation inserted = to_mutation(InsertEntity(*insert), raw.body);
      facts.entities.push_back(
          {row_of(parsed).name, std::move(inserted.partition_key), std::move(inserted.write.row_key)});
    } else if (const auto* get = std::get_if<GetEntity>(&parsed)) {
      facts.entities.push_back({row_of(parsed).name, get->key.partition_key, get->key.row_key});
    }
  }
}

}  // namespace rocktable
