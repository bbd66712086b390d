#include "server/handlers/batch.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "odata/protocol/multipart.h"
#include "odata/text.h"
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
};

struct ChangeSetPart {
  RequestPart part;
  bool insert = false;
  AddressedMutation change;
};

// Why a batch failed. One part of the response reports it for all operations.
struct Failure {
  std::size_t index;
  Error error;
  RequestPart part;
  bool indexed = true;  // the message starts with `index:`
  std::string explanation = {};
};

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

void append_common(std::string& out) {
  out += "X-Content-Type-Options: nosniff\r\nCache-Control: no-cache\r\n";
}

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
  append_inserted_entity(out, payload_format(context, write.change.table, write.part.preferences.level),
                         write.change, timestamp);
}

void append_success(std::string& out, const RequestContext& context, const ChangeSetPart& write,
                    DateTime timestamp) {
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

void append_failure(std::string& out, const RequestContext& context, const Failure& failure) {
  Error error = failure.error;
  if (failure.indexed) error.message = std::to_string(failure.index) + ":" + error.message;
  append_status(out, status_of(error.code));
  const bool early = error.code == ErrorCode::TableNotFound;
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

// The path after the account, which parts may or may not name.
std::string_view without_account(std::string_view path, std::string_view account) {
  constexpr std::string_view kSecondary = "-secondary";
  if (path.substr(0, 1) != "/" || !path.substr(1).starts_with(account)) return path;
  std::string_view rest = path.substr(1 + account.size());
  if (rest.starts_with(kSecondary)) rest.remove_prefix(kSecondary.size());
  return rest.starts_with('/') ? rest : path;
}

// Parses one part. Fills `part` even if the operation is refused, because the form of the response depends on it.
Operation parse_part(const BatchPartHead& head, const RequestContext& context, RequestPart& part) {
  const std::string url = path_of_url(head.target);
  const auto question = url.find('?');
  const auto query =
      QueryParameters::parse(question == url.npos ? "" : std::string_view(url).substr(question + 1));
  part.content_id = head.headers->get("Content-ID");
  const QueryParameters no_query;
  const OperationRequest request{
      head.method, without_account(std::string_view(url).substr(0, question), context.target.account),
      query ? *query : no_query, *head.headers, context.target.account};
  part.preferences = parse_preferences(request);
  query.value();
  Operation operation = parse_operation(request);
  require_access(context, operation);
  return operation;
}

// Turns the parts of a change set into mutations.
class ChangeSetReader {
 public:
  explicit ChangeSetReader(const RequestContext& context) : context_(context) {}

  // Fills `part` even if the operation is refused.
  ChangeSetPart read(const BatchPart& raw, RequestPart& part) {
    if (raw.head == insert_head_) {  // a further insert
      part = insert_part_;
      return checked({part, true, to_mutation(insert_, raw.body)});
    }
    Operation operation = parse_part(*raw.head, context_, part);
    if (auto* write = std::get_if<WriteEntity>(&operation))
      return checked({part, false, to_mutation(std::move(*write), raw.body)});
    const auto* insert = std::get_if<InsertEntity>(&operation);
    if (insert == nullptr) throw ServiceException(ErrorCode::MethodNotAllowed);
    insert_head_ = raw.head;
    insert_part_ = part;
    insert_ = *insert;
    return checked({part, true, to_mutation(insert_, raw.body)});
  }

 private:
  ChangeSetPart checked(ChangeSetPart part) const {
    require_entity_access(context_, part.change);
    return part;
  }

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

std::optional<Failure> commit(TableStore& store, const RequestContext& context,
                              std::vector<ChangeSetPart>& prepared, BatchResponseWriter& response,
                              RequestStats& stats, RequestNotes& notes) {
  std::vector<Mutation> writes;  // moved here and back, because the store takes a contiguous range
  writes.reserve(prepared.size());
  for (auto& one : prepared) writes.push_back(std::move(one.change.write));
  const AddressedMutation& first = prepared.front().change;
  const auto timestamp =
      store.commit({context.target.account, first.table}, first.partition_key, writes, &stats);
  for (std::size_t i = 0; i < writes.size(); ++i) prepared[i].change.write = std::move(writes[i]);
  if (timestamp) {
    for (const auto& one : prepared) append_success(response.add_part(), context, one, *timestamp);
    note_writes(notes, prepared);
    return std::nullopt;
  }
  // The service omits the index if the only operation of the batch fails in the store.
  const WriteRefusal& refusal = timestamp.error();
  const bool indexed = prepared.size() > 1 || refusal.error.code == ErrorCode::TableNotFound;
  return Failure{refusal.position, refusal.error, prepared[refusal.position].part, indexed};
}

// Runs `step` on one part. Returns its refusal, or nullopt. An operation that is not allowed in a batch refuses the whole
// batch: throws ServiceException.
template <class Step>
std::optional<ServiceException> refusal_of(const Step& step) {
  try {
    step();
    return std::nullopt;
  } catch (const ServiceException& refusal) {
    if (refusal.error().code == ErrorCode::MethodNotAllowed) throw ServiceException(ErrorCode::InvalidInput);
    return refusal;
  }
}

std::optional<Failure> run_change_set(TableStore& store, const RequestContext& context,
                                      const BatchRequest& request, BatchResponseWriter& response,
                                      RequestStats& stats, RequestNotes& notes) {
  std::vector<ChangeSetPart> prepared;
  prepared.reserve(std::min(request.parts.size(), kMaxOperations));
  ChangeSetReader reader(context);
  TransactionRules rules;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    RequestPart part;
    if (i == kMaxOperations) {
      refusal_of([&] { parse_part(*request.parts[i].head, context, part); });
      // The service reports the index of the last allowed operation, not of the one beyond the limit.
      return Failure{i - 1, {ErrorCode::InvalidInput, kTooManyOperations}, part};
    }
    const auto refusal = refusal_of([&] {
      ChangeSetPart write = reader.read(request.parts[i], part);
      if (const auto violation = rules.violation(write.change, prepared)) throw ServiceException(*violation);
      prepared.push_back(std::move(write));
    });
    if (refusal) return Failure{i, refusal->error(), part, true, refusal->explanation()};
  }
  if (prepared.empty()) return std::nullopt;
  return commit(store, context, prepared, response, stats, notes);
}

void find(const TableStore& store, const RequestContext& context, const RequestPart& part,
          const GetEntity& query, BatchResponseWriter& response, RequestStats& stats) {
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
  if (!store.get({context.target.account, query.table}, query.key, render, &stats).value())
    throw ServiceException(ErrorCode::ResourceNotFound);
}

bool is_query(const BatchRequest& request) {
  return !request.change_set && request.parts.front().head->method == "GET";
}

std::optional<Failure> run_query(const TableStore& store, const RequestContext& context, const BatchPart& raw,
                                 BatchResponseWriter& response, RequestStats& stats) {
  RequestPart part;
  const auto refusal = refusal_of([&] {
    const Operation operation = parse_part(*raw.head, context, part);
    const auto* query = std::get_if<GetEntity>(&operation);
    if (query == nullptr) throw ServiceException(ErrorCode::MethodNotAllowed);
    find(store, context, part, *query, response, stats);
  });
  if (refusal) return Failure{0, refusal->error(), part, true, refusal->explanation()};
  return std::nullopt;
}

}  // namespace

namespace {

std::string changes_boundary(const BatchRequest& request) {
  return request.change_set ? "changesetresponse_" + new_guid() : std::string();
}

Response batch_response(const RequestContext& context, const std::string& boundary,
                        BatchResponseWriter& parts, const std::optional<Failure>& failure) {
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

Response run_batch(TableStore& store, const RequestContext& context, const Batch& operation,
                   const std::string& body, RequestStats& stats, RequestNotes& notes) {
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
  if (position < request.parts.size())
    refusal_of([&] { parse_part(*request.parts[position].head, context, failure.part); });
  return batch_response(context, boundary, parts, failure);
}

void add_batch_entities(RequestFacts& facts, const RequestContext& context, const Batch& operation,
                        const std::string& body) {
  const BatchRequest request = parse_batch(operation.content_type, body).value();
  for (const BatchPart& raw : request.parts) {
    RequestPart part;
    const Operation parsed = parse_part(*raw.head, context, part);
    if (facts.table.empty()) facts.table = table_of(parsed);
    if (const auto* write = std::get_if<WriteEntity>(&parsed)) {
      facts.entities.push_back(
          {name_of_write(write->kind, write->condition), write->key.partition_key, write->key.row_key});
    } else if (const auto* insert = std::get_if<InsertEntity>(&parsed)) {
      AddressedMutation inserted = to_mutation(*insert, raw.body);
      facts.entities.push_back(
          {row_of(parsed).name, std::move(inserted.partition_key), std::move(inserted.write.row_key)});
    } else if (const auto* get = std::get_if<GetEntity>(&parsed)) {
      facts.entities.push_back({row_of(parsed).name, get->key.partition_key, get->key.row_key});
    }
  }
}

}  // namespace rocktable
