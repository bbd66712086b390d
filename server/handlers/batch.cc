#include "server/handlers/batch.h"

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "odata/protocol/multipart.h"
#include "odata/text.h"
#include "server/access/refusal_explanation.h"
#include "server/handlers/entities.h"
#include "server/request/error_response.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOperations = 100;
constexpr const char* kTooManyOperations =
    "The batch request operation exceeds the maximum 100 changes per change set.";

// One part of the request, as far as it could be parsed.
struct Part {
  Preferences preferences;
  std::string_view content_id;
};

struct ChangeSetPart {
  Part part;
  bool insert = false;
  AddressedMutation change;
};

// Why a batch failed. One part of the response reports it for all operations.
struct Failure {
  std::size_t index;
  Error error;
  bool indexed = true;  // the message starts with `index:`
  std::string explanation = {};
};

// Header lines stand in the order of the service. A part of the response has no others.

void add_content_id(std::string& out, const Part& part) {
  if (!part.content_id.empty()) append_field(out, "Content-ID", part.content_id);
}

void add_common(std::string& out) {
  append_field(out, "X-Content-Type-Options", "nosniff");
  append_field(out, "Cache-Control", "no-cache");
}

// A part with only its status, and room for the usual headers.
BatchResponse answer_with(int status) {
  constexpr std::size_t kUsualFields = 512;
  BatchResponse out;
  out.status_line.reserve(32);
  out.status_line.append("HTTP/1.1 ")
      .append(std::to_string(status))
      .append(" ")
      .append(reason_phrase(status));
  out.headers.reserve(kUsualFields);
  return out;
}

void add_json_type(std::string& out, const Part& part) {
  append_field(out, "Content-Type", json_content_type(part.preferences.level));
}

// --- Answers --------------------------------------------------------------------------------------------

BatchResponse inserted_with_content(const RequestContext& context, const ChangeSetPart& write,
                                    DateTime timestamp) {
  const PayloadFormat format = payload_format(context, write.change.table, write.part.preferences.level);
  BatchResponse out = answer_with(201);
  out.body = inserted_entity_body(format, write.change, timestamp);
  append_field(out.headers, "DataServiceVersion", "3.0;");
  add_json_type(out.headers, write.part);
  add_content_id(out.headers, write.part);
  add_common(out.headers);
  append_preference_applied(out.headers, write.part.preferences);
  append_field(out.headers, "Location", entity_location(context, write.change));
  append_etag_field(out.headers, timestamp);
  return out;
}

BatchResponse success(const RequestContext& context, const ChangeSetPart& write, DateTime timestamp) {
  const Prefer prefer = write.part.preferences.prefer;
  if (write.insert && prefer != Prefer::ReturnNoContent)
    return inserted_with_content(context, write, timestamp);
  const bool deleted = write.change.write.kind == WriteKind::Delete;
  BatchResponse out = answer_with(204);
  add_content_id(out.headers, write.part);
  add_common(out.headers);
  append_preference_applied(out.headers, write.part.preferences);
  append_field(out.headers, "DataServiceVersion", prefer == Prefer::None ? "1.0;" : "3.0;");
  if (write.insert) {
    const std::string location = entity_location(context, write.change);
    append_field(out.headers, "Location", location);
    append_field(out.headers, "DataServiceId", location);
  }
  if (!deleted) append_etag_field(out.headers, timestamp);
  return out;
}

BatchResponse failure_response(const RequestContext& context, const Failure& failure, const Part& part) {
  Error error = failure.error;
  if (failure.indexed) error.message = std::to_string(failure.index) + ":" + error.message;
  BatchResponse out = answer_with(status_of(error.code));
  out.error = error.code;
  out.explanation = failure.explanation;
  out.body = json_error_body(error, context);
  const bool early = error.code == ErrorCode::TableNotFound;
  add_content_id(out.headers, part);
  append_field(out.headers, "X-Content-Type-Options", "nosniff");
  if (!early) append_field(out.headers, "Cache-Control", "no-cache");
  if (!early) append_preference_applied(out.headers, part.preferences);
  append_field(out.headers, "DataServiceVersion", "3.0;");
  add_json_type(out.headers, part);
  return out;
}

Response answer(const RequestContext& context, bool change_set, const std::vector<BatchResponse>& answers) {
  const std::string boundary = "batchresponse_" + new_guid();
  Response response = table_layer_response(context, 202);
  response.add("Content-Type", "multipart/mixed; boundary=" + boundary);
  response.framing = Response::Framing::Chunked;
  if (answers.size() == 1) {  // a refusal stands for all operations
    response.error = answers.front().error;
    response.explanation = answers.front().explanation;
  }
  response.body = write_batch_response(boundary, "changesetresponse_" + new_guid(), change_set, answers);
  return response;
}

// --- Parts ----------------------------------------------------------------------------------------------

// The path after the account, which parts may or may not name.
std::string_view without_account(std::string_view path, std::string_view account) {
  constexpr std::string_view kSecondary = "-secondary";
  if (path.substr(0, 1) != "/" || !path.substr(1).starts_with(account)) return path;
  std::string_view rest = path.substr(1 + account.size());
  if (rest.starts_with(kSecondary)) rest.remove_prefix(kSecondary.size());
  return rest.starts_with('/') ? rest : path;
}

// Parses one part. Fills `part` even if the operation is refused, because the form of the response depends on it.
Operation parse_part(const BatchPart& raw, const RequestContext& context, Part& part) {
  const std::string url = path_of_url(raw.target);
  const auto question = url.find('?');
  const auto query =
      QueryParameters::parse(question == url.npos ? "" : std::string_view(url).substr(question + 1));
  part.content_id = raw.headers.get("Content-ID");
  const QueryParameters no_query;
  const OperationRequest request{
      raw.method, without_account(std::string_view(url).substr(0, question), context.target.account),
      query ? *query : no_query, raw.headers, context.target.account};
  part.preferences = parse_preferences(request);
  query.value();
  Operation operation = parse_operation(request);
  require_access(context, operation);
  return operation;
}

ChangeSetPart prepare(const BatchPart& raw, const RequestContext& context, Part& part) {
  Operation operation = parse_part(raw, context, part);
  auto* insert = std::get_if<InsertEntity>(&operation);
  auto* write = std::get_if<WriteEntity>(&operation);
  if (insert == nullptr && write == nullptr) throw ServiceException(ErrorCode::MethodNotAllowed);
  AddressedMutation change = insert != nullptr ? to_mutation(std::move(*insert), raw.body)
                                               : to_mutation(std::move(*write), raw.body);
  require_entity_access(context, change);
  return {part, insert != nullptr, std::move(change)};
}

// Checks that the writes form one transaction, before anything is read.
class TransactionRules {
 public:
  std::optional<Error> violation(const AddressedMutation& write) {
    if (!first_) first_ = {write.table, write.partition_key};
    if (!equals_ignoring_case(first_->first, write.table) || first_->second != write.partition_key)
      return Error(ErrorCode::CommandsInBatchActOnDifferentPartitions);
    if (!row_keys_.insert(write.write.row_key).second) return Error(ErrorCode::InvalidDuplicateRow);
    return std::nullopt;
  }

 private:
  std::optional<std::pair<std::string, std::string>> first_;
  std::set<std::string> row_keys_;
};

// --- Transactions and queries ---------------------------------------------------------------------------

std::vector<BatchResponse> commit(TableStore& store, const RequestContext& context,
                                  std::vector<ChangeSetPart>& prepared, RequestStats& stats) {
  std::vector<Mutation> writes;  // moved here and back, because the store takes a contiguous range
  writes.reserve(prepared.size());
  for (auto& one : prepared) writes.push_back(std::move(one.change.write));
  const AddressedMutation& first = prepared.front().change;
  const auto timestamp =
      store.commit({context.target.account, first.table}, first.partition_key, writes, &stats);
  for (std::size_t i = 0; i < writes.size(); ++i) prepared[i].change.write = std::move(writes[i]);
  if (timestamp) {
    std::vector<BatchResponse> answers;
    answers.reserve(prepared.size());
    for (const auto& one : prepared) answers.push_back(success(context, one, *timestamp));
    return answers;
  }
  // The service omits the index if the only operation of the batch fails in the store.
  const WriteRefusal& refusal = timestamp.error();
  const bool indexed = prepared.size() > 1 || refusal.error.code == ErrorCode::TableNotFound;
  return {
      failure_response(context, {refusal.position, refusal.error, indexed}, prepared[refusal.position].part)};
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

std::vector<BatchResponse> run_change_set(TableStore& store, const RequestContext& context,
                                          const BatchRequest& request, RequestStats& stats) {
  std::vector<ChangeSetPart> prepared;
  prepared.reserve(std::min(request.parts.size(), kMaxOperations));
  TransactionRules rules;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    Part part;
    if (i == kMaxOperations) {
      refusal_of([&] { parse_part(request.parts[i], context, part); });
      // The service reports the index of the last allowed operation, not of the one beyond the limit.
      return {failure_response(context, {i - 1, {ErrorCode::InvalidInput, kTooManyOperations}}, part)};
    }
    const auto refusal = refusal_of([&] {
      ChangeSetPart write = prepare(request.parts[i], context, part);
      if (const auto violation = rules.violation(write.change)) throw ServiceException(*violation);
      prepared.push_back(std::move(write));
    });
    if (refusal)
      return {failure_response(context, {i, refusal->error(), true, refusal->explanation()}, part)};
  }
  if (prepared.empty()) return {};
  return commit(store, context, prepared, stats);
}

BatchResponse found(const TableStore& store, const RequestContext& context, const Part& part,
                    const GetEntity& query, RequestStats& stats) {
  BatchResponse out = answer_with(200);
  const auto render = [&](const EntityView& entity) {
    append_field(out.headers, "DataServiceVersion", "3.0;");
    add_json_type(out.headers, part);
    add_content_id(out.headers, part);
    add_common(out.headers);
    append_etag_field(out.headers, entity.timestamp);
    write_entity(out.body, payload_format(context, query.table, part.preferences.level), query.select,
                 entity);
  };
  if (!store.get({context.target.account, query.table}, query.key, render, &stats).value())
    throw ServiceException(ErrorCode::ResourceNotFound);
  return out;
}

bool is_query(const BatchRequest& request) {
  return !request.change_set && request.parts.front().method == "GET";
}

BatchResponse run_query(const TableStore& store, const RequestContext& context, const BatchPart& raw,
                        RequestStats& stats) {
  Part part;
  BatchResponse out;
  const auto refusal = refusal_of([&] {
    const Operation operation = parse_part(raw, context, part);
    const auto* query = std::get_if<GetEntity>(&operation);
    if (query == nullptr) throw ServiceException(ErrorCode::MethodNotAllowed);
    out = found(store, context, part, *query, stats);
  });
  if (refusal) return failure_response(context, {0, refusal->error(), true, refusal->explanation()}, part);
  return out;
}

}  // namespace

Response run_batch(TableStore& store, const RequestContext& context, const Batch& operation,
                   const std::string& body, RequestStats& stats) {
  auto parsed = parse_batch(operation.content_type, body);
  if (context.target.secondary && !(parsed && is_query(*parsed)))
    throw ServiceException(ErrorCode::InsufficientAccountPermissions);
  const BatchRequest request = std::move(parsed).value();
  if (request.change_set) return answer(context, true, run_change_set(store, context, request, stats));
  return answer(context, false, {run_query(store, context, request.parts.front(), stats)});
}

}  // namespace rocktable
