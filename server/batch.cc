#include "server/batch.h"

#include <optional>
#include <set>
#include <vector>

#include "odata/text.h"
#include "server/auth_explanation.h"
#include "server/entities.h"
#include "server/error_response.h"
#include "server/protocol/multipart.h"
#include "server/target.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOperations = 100;
constexpr const char* kTooManyOperations =
    "The batch request operation exceeds the maximum 100 changes per change set.";

// One part of the request, as far as it could be understood.
struct Part {
  Exchange exchange;  // the batch's, with the part's own preferences
  std::string_view content_id;
};

struct PreparedWrite {
  Part part;
  bool insert = false;
  EntityWrite change;
};

// Why a batch failed: one answer for all of its operations.
struct Failure {
  std::size_t index;
  Error error;
  bool indexed = true;  // the message starts with `index:`
};

// Header lines stand in the service's order; an inner answer has no other ones.

void add_content_id(std::string& out, const Part& part) {
  if (!part.content_id.empty()) append_field(out, "Content-ID", part.content_id);
}

void add_common(std::string& out) {
  append_field(out, "X-Content-Type-Options", "nosniff");
  append_field(out, "Cache-Control", "no-cache");
}

std::string status_line(int status) {
  return "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason_phrase(status));
}

void add_json_type(std::string& out, const Part& part) {
  append_field(out, "Content-Type", json_content_type(part.exchange.preferences.level));
}

// --- Answers --------------------------------------------------------------------------------------------

BatchAnswer inserted_with_content(const PreparedWrite& write, DateTime timestamp) {
  BatchAnswer out{status_line(201), {}, inserted_entity_body(write.part.exchange, write.change, timestamp)};
  append_field(out.headers, "DataServiceVersion", "3.0;");
  add_json_type(out.headers, write.part);
  add_content_id(out.headers, write.part);
  add_common(out.headers);
  append_preference_applied(out.headers, write.part.exchange.preferences);
  append_field(out.headers, "Location", entity_location(write.part.exchange, write.change));
  append_etag_field(out.headers, timestamp);
  return out;
}

BatchAnswer success(const PreparedWrite& write, DateTime timestamp) {
  const Prefer prefer = write.part.exchange.preferences.prefer;
  if (write.insert && prefer != Prefer::ReturnNoContent) return inserted_with_content(write, timestamp);
  const bool deleted = write.change.write.kind == WriteKind::Delete;
  BatchAnswer out{status_line(204), {}, {}};
  add_content_id(out.headers, write.part);
  add_common(out.headers);
  append_preference_applied(out.headers, write.part.exchange.preferences);
  append_field(out.headers, "DataServiceVersion", prefer == Prefer::None ? "1.0;" : "3.0;");
  if (write.insert) {
    const std::string location = entity_location(write.part.exchange, write.change);
    append_field(out.headers, "Location", location);
    append_field(out.headers, "DataServiceId", location);
  }
  if (!deleted) append_etag_field(out.headers, timestamp);
  return out;
}

BatchAnswer failure_answer(const Failure& failure, const Part& part) {
  Error error = failure.error;
  if (failure.indexed) error.message = std::to_string(failure.index) + ":" + error.message;
  BatchAnswer out{status_line(status_of(error.code)), {}, json_error_body(error, part.exchange)};
  const bool early = error.code == ErrorCode::TableNotFound;
  add_content_id(out.headers, part);
  append_field(out.headers, "X-Content-Type-Options", "nosniff");
  if (!early) append_field(out.headers, "Cache-Control", "no-cache");
  if (!early) append_preference_applied(out.headers, part.exchange.preferences);
  append_field(out.headers, "DataServiceVersion", "3.0;");
  add_json_type(out.headers, part);
  return out;
}

Response answer(const Exchange& exchange, bool change_set, const std::vector<BatchAnswer>& answers) {
  const std::string boundary = "batchresponse_" + new_guid();
  Response response = table_layer_response(exchange, 202);
  response.add("Content-Type", "multipart/mixed; boundary=" + boundary);
  response.framing = Response::Framing::Chunked;
  response.body = write_batch_response(boundary, "changesetresponse_" + new_guid(), change_set, answers);
  return response;
}

// --- Parts ----------------------------------------------------------------------------------------------

// The path behind the account: parts may name it, or not.
std::string_view without_account(std::string_view path, const std::string& account) {
  for (const std::string& segment : {"/" + account + "/", "/" + account + "-secondary/"})
    if (path.starts_with(segment)) return path.substr(segment.size() - 1);
  return path;
}

// Understands one part as far as it goes: `part` is filled even where the operation is refused, for the
// answer's form.
Operation parse_part(const BatchPart& raw, const Exchange& exchange, Part& part) {
  const std::string url = path_of_url(raw.target);
  const auto question = url.find('?');
  const auto query =
      QueryParameters::parse(question == url.npos ? "" : std::string_view(url).substr(question + 1));
  part.exchange = exchange;
  part.content_id = raw.headers.get("Content-ID");
  const QueryParameters no_query;
  const OperationRequest request{raw.method,
                                 without_account(std::string_view(url).substr(0, question), exchange.account),
                                 query ? *query : no_query, raw.headers};
  part.exchange.preferences = parse_preferences(request);
  query.value();
  Operation operation = parse_operation(request);
  require_access(exchange, operation);
  return operation;
}

PreparedWrite prepare(const BatchPart& raw, const Exchange& exchange, Part& part) {
  const Operation operation = parse_part(raw, exchange, part);
  const std::string body(raw.body);
  const auto* insert = std::get_if<InsertEntity>(&operation);
  const auto* write = std::get_if<WriteEntity>(&operation);
  if (insert == nullptr && write == nullptr) throw ServiceException(ErrorCode::MethodNotAllowed);
  EntityWrite change = insert != nullptr ? to_entity_write(*insert, body) : to_entity_write(*write, body);
  require_reach(exchange, change);
  return {part, insert != nullptr, std::move(change)};
}

// What makes a list of writes no transaction: checked before anything is looked up.
class TransactionRules {
 public:
  std::optional<Error> violation(const EntityWrite& write) {
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

std::vector<BatchAnswer> commit(TableStore& store, const Exchange& exchange,
                                const std::vector<PreparedWrite>& prepared, RequestStats& stats) {
  std::vector<Write> writes;
  writes.reserve(prepared.size());
  for (const auto& one : prepared) writes.push_back(one.change.write);
  const EntityWrite& first = prepared.front().change;
  const auto timestamp = store.commit({exchange.account, first.table}, first.partition_key, writes, &stats);
  if (timestamp) {
    std::vector<BatchAnswer> answers;
    answers.reserve(prepared.size());
    for (const auto& one : prepared) answers.push_back(success(one, *timestamp));
    return answers;
  }
  // The service leaves the index out where the only operation fails while it is carried out.
  const WriteRefusal& refusal = timestamp.error();
  const bool indexed = prepared.size() > 1 || refusal.error.code == ErrorCode::TableNotFound;
  return {failure_answer({refusal.position, refusal.error, indexed}, prepared[refusal.position].part)};
}

std::vector<BatchAnswer> run_change_set(TableStore& store, const Exchange& exchange,
                                        const BatchRequest& request, RequestStats& stats) {
  std::vector<PreparedWrite> prepared;
  TransactionRules rules;
  for (std::size_t i = 0; i < request.parts.size(); ++i) {
    Part part;
    try {
      if (i == kMaxOperations) {
        parse_part(request.parts[i], exchange, part);
        throw ServiceException(Error(ErrorCode::InvalidInput, kTooManyOperations));
      }
      PreparedWrite write = prepare(request.parts[i], exchange, part);
      if (const auto violation = rules.violation(write.change))
        return {failure_answer({i, *violation}, part)};
      prepared.push_back(std::move(write));
    } catch (const ServiceException& refusal) {
      if (refusal.error().code == ErrorCode::MethodNotAllowed)
        throw ServiceException(ErrorCode::InvalidInput);
      // The service counts the operation that is one too many as the last that it takes.
      if (i == kMaxOperations)
        return {failure_answer({i - 1, {ErrorCode::InvalidInput, kTooManyOperations}}, part)};
      return {failure_answer({i, refusal.error()}, part)};
    }
  }
  if (prepared.empty()) return {};
  return commit(store, exchange, prepared, stats);
}

BatchAnswer found(const TableStore& store, const Part& part, const GetEntity& query, RequestStats& stats) {
  BatchAnswer out{status_line(200), {}, {}};
  const auto render = [&](const EntityView& entity) {
    append_field(out.headers, "DataServiceVersion", "3.0;");
    add_json_type(out.headers, part);
    add_content_id(out.headers, part);
    add_common(out.headers);
    append_etag_field(out.headers, entity.timestamp);
    write_entity(out.body, payload_format(part.exchange, query.table), query.select, entity);
  };
  if (!store.get({part.exchange.account, query.table}, query.key, render, &stats).value())
    throw ServiceException(ErrorCode::ResourceNotFound);
  return out;
}

BatchAnswer run_query(const TableStore& store, const Exchange& exchange, const BatchPart& raw,
                      RequestStats& stats) {
  Part part;
  try {
    const Operation operation = parse_part(raw, exchange, part);
    if (const auto* query = std::get_if<GetEntity>(&operation)) return found(store, part, *query, stats);
    throw ServiceException(ErrorCode::MethodNotAllowed);
  } catch (const ServiceException& refusal) {
    if (refusal.error().code == ErrorCode::MethodNotAllowed) throw ServiceException(ErrorCode::InvalidInput);
    return failure_answer({0, refusal.error()}, part);
  }
}

}  // namespace

Response run_batch(TableStore& store, const Exchange& exchange, const Batch& operation,
                   const std::string& body, RequestStats& stats) {
  const BatchRequest request = parse_batch(operation.content_type, body).value();
  if (request.change_set) return answer(exchange, true, run_change_set(store, exchange, request, stats));
  return answer(exchange, false, {run_query(store, exchange, request.parts.front(), stats)});
}

}  // namespace rocktable
