#include "server/handlers/batch.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/text.h"
#include "odata/key_predicate.h"
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
  std::string table;  // as the part writes it: adjacent parts may differ in case
};

// The operations that one transaction commits.
struct ChangeSet {
  std::string partition_key;
  std::vector<ChangeSetPart> parts;
  decltype(RequestNotes::writes) writes;  // one for each part
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

// Writes the responses to a transaction. Most of them are alike up to the row key.
class SuccessWriter {
 public:
  SuccessWriter(const RequestContext& context, const ChangeSet& changes, DateTime timestamp)
      : context_(context), changes_(changes), timestamp_(timestamp) {
    append_etag_field(etag_, timestamp);
  }

  void append(std::string& out, std::size_t index) {
    const ChangeSetPart& one = changes_.parts[index];
    const Mutation& write = changes_.writes[index];
    const bool is_insert = write.kind == WriteKind::Insert;
    if (is_insert && one.part.preferences.prefer != Prefer::ReturnNoContent)
      return append_inserted_with_content(out, one, write);
    if (!begins_like_last(one, is_insert)) begin(one, is_insert);
    const std::size_t location = out.size() + location_;
    out += beginning_;
    if (is_insert) {
      end_key_predicate(out, write.row_key);
      const std::size_t length = out.size() - location;
      out += "\r\nDataServiceId: ";
      out.append(out, location, length);
      out += "\r\n";
    }
    if (write.kind != WriteKind::Delete) out += etag_;
    out += "\r\n";
  }

 private:
  bool begins_like_last(const ChangeSetPart& one, bool is_insert) const {
    return last_ != nullptr && last_is_insert_ == is_insert && last_->table == one.table &&
           last_->part.preferences.prefer == one.part.preferences.prefer &&
           last_->part.content_id == one.part.content_id;
  }

  // Sets the text up to the row key of an insert, or up to the ETag of another write.
  void begin(const ChangeSetPart& one, bool is_insert) {
    last_ = &one;
    last_is_insert_ = is_insert;
    beginning_ = "HTTP/1.1 204 No Content\r\n";
    append_content_id(beginning_, one.part);
    append_common(beginning_);
    append_preference_applied(beginning_, one.part.preferences);
    append_field(beginning_, "DataServiceVersion", one.part.preferences.prefer == Prefer::None ? "1.0;" : "3.0;");
    if (!is_insert) return;
    beginning_ += "Location: ";
    location_ = beginning_.size();
    begin_entity_location(beginning_, context_, one.table, changes_.partition_key);
  }

  void append_inserted_with_content(std::string& out, const ChangeSetPart& one, const Mutation& write) const {
    append_status(out, 201);
    append_field(out, "DataServiceVersion", "3.0;");
    append_json_type(out, one.part);
    append_content_id(out, one.part);
    append_common(out);
    append_preference_applied(out, one.part.preferences);
    out += "Location: ";
    begin_entity_location(out, context_, one.table, changes_.partition_key);
    end_key_predicate(out, write.row_key);
    out += "\r\n";
    out += etag_;
    out += "\r\n";
    append_inserted_entity(out, payload_format(context_, one.table, one.part.preferences.level), changes_.partition_key,
                           write, timestamp_);
  }

  const RequestContext& context_;
  const ChangeSet& changes_;
  const DateTime timestamp_;
  std::string etag_;                     // its line
  const ChangeSetPart* last_ = nullptr;  // that `beginning_` was made for
  bool last_is_insert_ = false;
  std::string beginning_;
  std::size_t location_ = 0;  // where it begins in `beginning_`
};

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
  AddressedMutation read(const BatchPart& raw, RequestPart& part) {
    if (raw.head == insert_head_) {  // a further insert
      part = insert_part_;
      return checked(to_mutation(store_, context_, insert_, raw.body));
    }
    Operation operation = parse_part(*raw.head, context_, part);
    if (auto* write = std::get_if<WriteEntity>(&operation))
      return checked(to_mutation(store_, context_, std::move(*write), raw.body));
    const auto* insert = std::get_if<InsertEntity>(&operation);
    if (insert == nullptr) refuse_operation(part);
    insert_head_ = raw.head;
    insert_part_ = part;
    insert_ = *insert;
    return checked(to_mutation(store_, context_, insert_, raw.body));
  }

 private:
  // For an operation that no change set may hold.
  [[noreturn]] static void refuse_operation(RequestPart& part) {
    part.is_parsed = false;
    throw ServiceException(ErrorCode::MethodNotAllowed);
  }

  AddressedMutation checked(AddressedMutation&& change) const {
    require_entity_access(context_, change);
    return std::move(change);
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
  std::optional<Error> violation(const AddressedMutation& write, const ChangeSet& earlier) {
    if (earlier.parts.empty()) return std::nullopt;
    if (!equals_ignoring_case(earlier.parts.front().table, write.table) || earlier.partition_key != write.partition_key)
      return Error(ErrorCode::CommandsInBatchActOnDifferentPartitions);
    const std::string& row_key = write.write.row_key;
    if (row_keys_.empty() && earlier.writes.back().row_key < row_key) return std::nullopt;
    if (row_keys_.empty())
      for (const auto& one : earlier.writes) row_keys_.insert(one.row_key);
    if (!row_keys_.insert(row_key).second) return Error(ErrorCode::InvalidDuplicateRow);
    return std::nullopt;
  }

 private:
  std::set<std::string> row_keys_;  // empty while row keys ascend: then none occurs twice
};

// --- Transactions and queries ---------------------------------------------------------------------------

void add_write(ChangeSet& changes, const RequestPart& part, AddressedMutation&& change) {
  if (changes.parts.empty()) changes.partition_key = std::move(change.partition_key);
  changes.parts.push_back({part, std::move(change.table)});
  changes.writes.push_back(std::move(change.write));
}

std::optional<Failure> commit(Store& store, const RequestContext& context, ChangeSet& changes,
                              BatchResponseWriter& response, RequestStats& stats, RequestNotes& notes) {
  const auto timestamp =
      store.commit({context.target.account, changes.parts.front().table}, changes.partition_key, changes.writes, stats);
  if (timestamp) {
    SuccessWriter writer(context, changes, *timestamp);
    for (std::size_t i = 0; i < changes.parts.size(); ++i) writer.append(response.add_part(), i);
    notes.table = std::move(changes.parts.front().table);
    notes.partition_key = std::move(changes.partition_key);
    notes.writes = std::move(changes.writes);
    return std::nullopt;
  }
  // The service omits the index if the only operation of the batch fails in the store.
  const WriteRefusal& refusal = timestamp.error();
  const bool indexed = changes.parts.size() > 1 || refusal.error.code == ErrorCode::TableNotFound;
  const RequestPart& part = changes.parts[refusal.position].part;
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
  ChangeSet changes;
  const std::size_t count = std::min(request.parts.size(), kMaxOperations);
  changes.parts.reserve(count);
  changes.writes.reserve(count);
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
      AddressedMutation change = reader.read(raw, part);
      if (const auto violation = rules.violation(change, changes)) throw ServiceException(*violation);
      add_write(changes, part, std::move(change));
    });
    if (!refusal) continue;
    // The table is looked up for the first operation.
    if (refusal->error().code == ErrorCode::TableNotFound && i > 0)
      return to_failure(0, *refusal, changes.parts.front().part);
    return to_failure(i, *refusal, part);
  }
  if (changes.parts.empty()) return std::nullopt;
  return commit(store, context, changes, response, stats, notes);
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
