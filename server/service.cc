#include "server/service.h"

#include <spdlog/spdlog.h>

#include <thread>
#include <type_traits>

#include "odata/payload_reader.h"
#include "odata/text.h"
#include "server/access/authorization.h"
#include "server/access/page_checks.h"
#include "server/access/refusal_explanation.h"
#include "server/access/signed_identifiers.h"
#include "server/control/control.h"
#include "server/control/control_response.h"
#include "server/explorer/explorer_pages.h"
#include "server/handlers/batch.h"
#include "server/handlers/blob_and_queue_stub.h"
#include "server/handlers/entities.h"
#include "server/handlers/service_properties.h"
#include "server/handlers/table_acl.h"
#include "server/handlers/tables.h"
#include "server/request/operation_table.h"
#include "server/request/request_headers.h"

namespace rocktable {
namespace {

constexpr std::string_view kFirstVersionWithJson = "2013-08-15";
constexpr std::chrono::milliseconds kShortQuery{50};

// --- Dispatch -------------------------------------------------------------------------------------------

// The handler of each operation.
struct Handlers {
  TableStore& store;
  CorsRules& cors_rules;
  Behaviours& behaviours;
  const RequestContext& context;
  const std::string& body;
  RequestStats& stats;
  RequestNotes& notes;
  MemoryBudget::Share& memory;

  Response operator()(const CreateTable&) const {
    if (context.behaviour != nullptr && context.behaviour->delete_delay > 0) require_deleted();
    return create_table(store, context, body, notes);
  }
  Response operator()(const QueryTables& o) const { return query_tables(store, context, o); }
  Response operator()(const GetTable& o) const { return get_table(store, context, o); }
  Response operator()(const DeleteTable& o) const {
    Response response = delete_table(store, context, o);
    if (const auto delay = context.behaviour != nullptr ? context.behaviour->delete_delay : 0; delay > 0)
      behaviours.deleted_tables().keep(context.target.account, o.table, {}, period(delay));
    return response;
  }
  Response operator()(const InsertEntity& o) const {
    return insert_entity(store, context, o, body, stats, notes);
  }
  Response operator()(const QueryEntities& o) const {
    return query_entities(store, context, o, stats, notes, memory);
  }
  Response operator()(const GetEntity& o) const { return get_entity(store, context, o, stats); }
  Response operator()(const WriteEntity& o) const {
    return write_entity(store, context, o, body, stats, notes);
  }
  Response operator()(const Batch& o) const { return run_batch(store, context, o, body, stats, notes); }
  Response operator()(const GetServiceProperties&) const { return get_service_properties(store, context); }
  Response operator()(const SetServiceProperties&) const {
    Response response = set_service_properties(store, context, body);
    cors_rules.forget(context.target.account);
    return response;
  }
  Response operator()(const GetServiceStats&) const { return get_service_stats(context); }
  Response operator()(const GetTableAcl& o) const { return get_table_acl(store, context, o); }
  Response operator()(const SetTableAcl& o) const {
    const auto delay = context.behaviour != nullptr ? context.behaviour->policy_delay : 0;
    if (delay == 0) return set_table_acl(store, context, o, body);
    auto former = store.signed_identifiers({context.target.account, o.table});
    Response response = set_table_acl(store, context, o, body);
    behaviours.access_policies().keep(context.target.account, o.table, std::move(former).value(),
                                      period(delay));
    return response;
  }
  Response operator()(const GetTableSubpath&) const { throw ServiceException(ErrorCode::NotImplemented); }
  Response operator()(const WriteTableSubpath& o) const { refuse_write_behind(store, context, o.table); }

  PastValues::Period period(std::int64_t ticks) const {
    return {context.received, {context.received.ticks + ticks}};
  }

  // Refuses the name of a table whose deletion has not ended yet.
  void require_deleted() const {
    const auto name = read_table_name(body);
    if (name && behaviours.deleted_tables().find(context.target.account, *name, context.received))
      throw ServiceException(ErrorCode::TableBeingDeleted);
  }
};

// Whether it may visit many entities: all queries but a few look-ups.
bool is_scan(const Operation& operation) {
  constexpr std::size_t kFewLookUps = 100;
  if (const auto* query = std::get_if<QueryEntities>(&operation))
    return query->plan.plan_class != PlanClass::Point || query->plan.ranges.size() > kFewLookUps;
  return std::holds_alternative<QueryTables>(operation);
}

// Whether the call holds no mutex, and nothing in a thread_local variable, while it waits for the store.
bool may_share_its_thread(const Operation& operation) {
  return std::holds_alternative<GetEntity>(operation) || std::holds_alternative<InsertEntity>(operation) ||
         std::holds_alternative<WriteEntity>(operation) || std::holds_alternative<Batch>(operation) ||
         std::holds_alternative<QueryEntities>(operation);
}

// `is_remote`: the store waits for another machine. `sync`: writes wait for the disk.
Lane lane_of(const Operation& operation, bool scans, bool is_remote, bool sync) {
  if (!scans && is_remote) return may_share_its_thread(operation) ? Lane::Database : Lane::Partition;
  if (!scans) return sync && row_of(operation).is_write ? Lane::Partition : Lane::Connection;
  const auto* query = std::get_if<QueryEntities>(&operation);
  return query != nullptr && query->plan.plan_class > PlanClass::PartitionScan ? Lane::Table
                                                                               : Lane::Partition;
}

// Calls a function from within a scan, for as long as this lives.
class ScanProgress {
 public:
  ScanProgress(RequestStats& stats, std::function<bool(const RequestStats&)> progress) : stats_(stats) {
    stats_.progress = std::move(progress);
  }
  ~ScanProgress() { stats_.progress = nullptr; }
  ScanProgress(const ScanProgress&) = delete;
  ScanProgress& operator=(const ScanProgress&) = delete;

 private:
  RequestStats& stats_;
};

}  // namespace

Service::Service(TableStore& store, Accounts accounts, ServiceOptions options)
    : store_(store),
      authenticator_(
          std::move(accounts),
          [this](std::string_view account, std::string_view table) {
            const auto past = past_policies(account, table);
            const auto stored =
                past ? Result<std::string>(*past) : store_.signed_identifiers({account, table});
            return stored ? parse_signed_identifiers(*stored).value() : std::vector<SignedIdentifier>();
          },
          options.bearer_tokens),
      cors_rules_(store),
      options_(std::move(options)),
      behaviours_(options_.behaviour) {}

// Returns the access policies that still apply to a table after they were changed.
std::optional<std::string> Service::past_policies(std::string_view account, std::string_view table) {
  if (!behaviours_.is_active()) return std::nullopt;
  return behaviours_.access_policies().find(account, table, now());
}

// --- Accept ---------------------------------------------------------------------------------------------

Service::Call::Call(Service& service, const Request& request) : service_(&service), request_(&request) {
  kind_ = kind_of(request);
  context_.request_id = new_guid();
  context_.received = service.now();
  context_.version = newest_version();
  context_.service = request.service;
  context_.explains = service.options_.explain_auth || service.recent_requests_.is_on();
  response_ = guard([&] {
    switch (kind_) {
      case Kind::Control:
        return service.accept_control(request, *this);
      case Kind::Owner:
        return service.accept_as_owner(request, *this);
      case Kind::Tables:
      case Kind::BlobOrQueue:
        break;
    }
    return service.accept(request, *this);
  });
  key_ = statistics_key();
  if (!service.is_disturbed()) return;
  if (kind_ == Kind::Owner) {
    keep_boundaries_only();
  } else {
    prepare_disturbance();
  }
}

bool is_for_control(const Request& request) {
  return request.service == StorageService::Table &&
         (is_explorer_target(request.target) || request.target.starts_with(kControlPrefix));
}

Service::Call::Kind Service::Call::kind_of(const Request& request) {
  if (request.service != StorageService::Table) return Kind::BlobOrQueue;
  const std::string_view root = kControlPrefix.substr(0, kControlPrefix.size() - 1);
  if (!request.target.starts_with(root)) return Kind::Tables;  // nearly all requests
  if (is_explorer_target(request.target)) return Kind::Control;
  if (!request.target.starts_with(kControlPrefix)) return Kind::Tables;
  return request.target.starts_with(kOwnersPrefix) ? Kind::Owner : Kind::Control;
}

Service::Call Service::accept(const Request& request) { return {*this, request}; }

std::optional<ControlRefusal> Service::refuse_control(const Request& request) const {
  // A control token closes the control surface to the well-known key.
  const bool secret = !options_.control.token.empty();
  const auto is_signed = [&] {
    // By the wall clock: a client must be able to turn the clock back.
    return authenticator_.is_signed_by_account(request, rocktable::now(), secret);
  };
  return rocktable::refuse_control(options_.control, control_resource(request.target), request.headers,
                                   is_signed);
}

std::optional<Response> Service::accept_control(const Request& request, Call& call) {
  if (is_explorer_target(request.target))
    return explorer_response(options_.control, options_.explorer, request.method, request.target,
                             request.headers);
  if (const auto refusal = refuse_control(request)) return control_refusal(*refusal);
  if (control_may_block(request.method, request.target)) call.lane_ = Lane::Control;
  return std::nullopt;
}

std::optional<Response> Service::accept(const Request& request, Call& call) {
  RequestContext& context = call.context_;
  context.client_request_id = client_request_id_of(request.headers);
  if (request.headers.count("Host") > 1) throw ServiceException(ErrorCode::InvalidHeaderValue);
  context.target = parse_target(request.target, request.headers.get("Host"), options_.secure,
                                options_.product_style && call.kind_ != Call::Kind::Owner)
                       .value();
  const Target& target = context.target;
  const QueryParameters query = QueryParameters::parse(target.query).value();
  const OperationRequest parts{request.method, target.resource, query, request.headers};
  const bool is_for_tables = call.kind_ != Call::Kind::BlobOrQueue;
  call.front_end_ = query.get("comp").has_value();
  if (is_for_tables) context.preferences = parse_preferences(parts);
  context.version = version_of(request.headers, query, options_.strict_api_version);
  require_unambiguous(request.headers, query);

  if (const auto known = authenticator_.require_account(target.account); !known)
    refuse_access(request, context, known.error());
  if (request.method == "OPTIONS" && call.kind_ != Call::Kind::Owner) {
    if (!is_for_tables) throw ServiceException(ErrorCode::CorsPreflightFailure);  // it has no CORS rules
    return preflight(context, cors_rules_.of(target.account), request.headers);
  }
  call.stage_ = Call::Stage::AccountFound;
  if (call.kind_ != Call::Kind::Owner) {
    refuse_page(request, target.account);
    auto caller = authenticator_.authenticate(request, target, options_.secure, context.received);
    if (!caller) refuse_access(request, context, caller.error());
    context.caller = *std::move(caller);
  }
  check_version(context.caller, context.version).value();
  call.stage_ = Call::Stage::Authenticated;
  if (!is_for_tables) return blob_and_queue_response(request, query, context);

  if (context.version < kFirstVersionWithJson) throw ServiceException(ErrorCode::JsonFormatNotSupported);
  call.operation_ = parse_operation(parts);
  call.stage_ = Call::Stage::Parsed;
  require_access(context, *call.operation_);
  check_location(target, *call.operation_).value();
  if (const auto plan_class = plan_class_of(*call.operation_)) call.plan_class_ = to_string(*plan_class);
  call.scans_ = is_scan(*call.operation_);
  call.lane_ = lane_of(*call.operation_, call.scans_, store_.is_remote(), options_.sync);
  return std::nullopt;
}

// Refuses what a page that the user did not ask could do with a key that everybody knows.
void Service::refuse_page(const Request& request, const std::string& account) {
  if (is_blind_write(request) &&
      !allows_origin(cors_rules_.of(account), request.method, request.headers.get("Origin")))
    throw ServiceException(
        ErrorCode::AuthorizationFailure,
        "A page of another origin sent this without a preflight, and no CORS rule allows it.");
  if (!options_.secure && is_for_foreign_host(request, options_.control) &&
      authenticator_.accounts().has_public_key(account))
    throw ServiceException(
        ErrorCode::AuthorizationFailure,
        "A page asked under a host name that is not this machine's. Use localhost or 127.0.0.1, "
        "start with --tableHost NAME, or use an account with a key of its own.");
}

void Service::refuse_access(const Request& request, const RequestContext& context, const Error& error) const {
  const bool explains = context.explains && context.service == StorageService::Table;
  throw ServiceException(error, explains ? explain_authentication(authenticator_, request, context.target,
                                                                  options_.secure, context.received, error)
                                         : std::string());
}

// --- Refusals and faults --------------------------------------------------------------------------------

// Runs one step of a request, which returns a response, or an optional one. The only place where a request's exceptions are
// caught.
template <class Step>
std::invoke_result_t<Step> Service::Call::guard(const Step& step) {
  try {
    return step();
  } catch (const ServiceException& refusal) {
    return refuse(refusal);
  } catch (const std::exception& fault) {
    return fail(fault);
  }
}

Response Service::Call::refuse(const ServiceException& refusal) const {
  if (is_of_control()) return control_failure(refusal);
  const ErrorCode code = refusal.error().code;
  const ErrorSource source = source_of(code);
  Response response = error_response(refusal.error(), context_, source);
  if (code == ErrorCode::MethodNotAllowed)
    response.add("Allow", allowed_methods(context_.target.resource, source == ErrorSource::FrontEnd));
  response.explanation = refusal.explanation();
  if (context_.explains && response.explanation.empty()) response.explanation = explain_code(code);
  return response;
}

// Reports a failure inside the emulator to its log, not to the client.
Response Service::Call::fail(const std::exception& fault) const {
  if (is_of_control()) {
    spdlog::error("{} {} failed: {}", request_->method, request_->target, fault.what());
    return control_failure(fault);
  }
  spdlog::error("request {} failed: {}", context_.request_id, fault.what());
  return error_response(ErrorCode::InternalError, context_, ErrorSource::TableLayer);
}

// The service's layers refuse in different forms. Its front end authenticates, and serves `?comp=`.
ErrorSource Service::Call::source_of(ErrorCode code) const {
  const bool is_unrouted = code == ErrorCode::InvalidUri || code == ErrorCode::InvalidQueryParameterValue;
  if (stage_ == Stage::Authenticated && is_unrouted) return ErrorSource::Router;
  if (front_end_ || stage_ < Stage::Authenticated) return ErrorSource::FrontEnd;
  return stage_ < Stage::Parsed || is_early(code) ? ErrorSource::TableLayerEarly : ErrorSource::TableLayer;
}

Response Service::refuse(const Error& error, StorageService service) const {
  RequestContext context;
  context.service = service;
  context.request_id = new_guid();
  context.received = now();
  context.version = newest_version();
  return error_response(error, context, ErrorSource::FrontEnd);
}

// --- Run ------------------------------------------------------------------------------------------------

Response Service::Call::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  start_ = std::chrono::steady_clock::now();
  if (kind_ == Kind::Tables && !scans_) service_->scan_throttle_.claim(start_, request_->connection);
  Response response = response_ ? *std::move(response_) : guard([&] {
    return disturbance_ ? execute_disturbed(hung_up, memory) : execute(hung_up, memory);
  });
  if (disturbance_) finish_disturbed(response);
  if (kind_ == Kind::Tables || may_ask_) {
    auto refusal = guard([&]() -> std::optional<Response> {
      add_own_fields(response);  // refused while the store is replaced, and the account's settings with it
      return std::nullopt;
    });
    if (refusal) response = *std::move(refusal);
  }
  response.sends_body = request_->method != "HEAD";
  return response;
}

bool Service::Call::changed_nothing() const {
  if (scans_ || request_->method == "GET") return true;
  return kind_ == Kind::Control && control_changes_nothing(request_->method, request_->target);
}

Response Service::Call::try_to_execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  return guard([&] { return execute(hung_up, memory); });
}

Response Service::Call::execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  if (kind_ == Kind::Control) {
    Response response = service_->run_control(*request_, hung_up);
    // Charged here, before the next call of this thread makes one: large ones must not pile up on their way.
    const bool is_large = response.body.size() > kFreeBytes && changed_nothing();
    if (is_large && !memory.take(response.body.size())) return busy();
    return response;
  }
  if (!scans_) return dispatch(memory);
  std::optional<RunningScanCounter> live;
  if (kind_ == Kind::Tables) live.emplace(service_->statistics_, key_, counted_stats_);
  ScanThrottle::Scan scan(service_->scan_throttle_, start_, request_->connection);
  if (lane_ == Lane::Partition) scan.claim(start_);
  const ScanProgress progress(stats_,
                              [&](const RequestStats&) { return keep_scanning(live, scan, hung_up); });
  return dispatch(memory);
}

Response Service::Call::dispatch(MemoryBudget::Share& memory) {
  return std::visit(Handlers{service_->store_, service_->cors_rules_, service_->behaviours_, context_,
                             *request_->body, stats_, notes_, memory},
                    *operation_);
}

// Called between two entities of a scan. Returns false to end the scan.
bool Service::Call::keep_scanning(std::optional<RunningScanCounter>& live, ScanThrottle::Scan& scan,
                                  const std::atomic<bool>& hung_up) {
  const auto now = std::chrono::steady_clock::now();
  if (live) live->update(stats_, now);
  // A query within a partition of a shared store mostly waits for it, and would rest for its waits.
  const bool rests = lane_ == Lane::Table || !service_->waits_for_store();
  const auto rest = rests ? scan.rest(now) : std::chrono::steady_clock::duration::zero();
  if (rest > rest.zero()) std::this_thread::sleep_for(rest);
  // A client that only shuts down its sending side looks the same. It gets the whole answer to a short query.
  return !hung_up || now - start_ < kShortQuery;
}

Response Service::run_control(const Request& request, const std::atomic<bool>& hung_up) {
  const ControlState state{
      .statistics = statistics_,
      .insight = insight_,
      .recent_requests = recent_requests_,
      .stopping = stopping_,
      .store = store_,
      .serves_account =
          [this](std::string_view account) { return authenticator_.require_account(account).has_value(); },
      .has_public_key =
          [this](std::string_view account) { return authenticator_.accounts().has_public_key(account); },
      .named_accounts = [this] { return authenticator_.accounts().names(); },
      .settings_changed = [this] { cors_rules_.forget_all(); },
      .time = *options_.time,
      .behaviours = behaviours_,
      .faults = faults_,
      .retries = retries_};
  return control_response({request.method, request.target, *request.body, hung_up}, state);
}

// Adds the headers that the account's settings and the emulator's options ask for.
void Service::Call::add_own_fields(Response& response) const {
  if (service_->options_.explain_headers && !response.explanation.empty())
    response.add("x-rocktable-explain", response.explanation);
  if ((service_->options_.insight_headers || may_ask_) && !plan_class_.empty()) {
    response.add("x-rocktable-plan", plan_class_);
    response.add("x-rocktable-scanned", std::to_string(stats_.entities_scanned));
    response.add("x-rocktable-returned", std::to_string(stats_.entities_returned));
  }
  if (may_ask_) return add_owners_fields(response);
  if (stage_ >= Stage::AccountFound) {
    add_cors_fields(response, service_->cors_rules_.of(context_.target.account), request_->method,
                    request_->headers.get("Origin"));
  }
}

// --- The event ------------------------------------------------------------------------------------------

StatisticsKey Service::Call::statistics_key() const {
  // The account of an unauthenticated request is any text: it could fill the statistics.
  if (!operation_) return {stage_ >= Stage::Authenticated ? context_.target.account : "", "", "Refused", ""};
  // A text that cannot be the name of a table is of any length, and so is their number.
  const std::string_view table = table_of(*operation_);
  const bool possible = table.empty() || check_table_name(table).has_value();
  return {context_.target.account, possible ? to_lower_ascii(table) : "*", row_of(*operation_).name,
          plan_class_};
}

RequestEvent Service::Call::event(const Response& answer, std::chrono::microseconds duration) const {
  RequestEvent out;
  out.remote_address = request_->remote_address;
  out.method = request_->method;
  out.target = kind_ == Kind::Owner ? owners_target() : request_->target;
  out.account = context_.target.account;
  out.request_id = context_.request_id;
  out.key = kind_ == Kind::Tables ? &key_ : nullptr;
  out.plan_class = plan_class_;
  out.user_agent = request_->headers.get("User-Agent");
  out.client_request_id = context_.client_request_id;
  out.operation = operation_ ? &*operation_ : nullptr;
  out.notes = &notes_;
  out.request = request_;
  out.response = &answer;
  out.received = context_.received;
  out.reads = stats_;
  out.counted_reads = counted_stats_;
  out.status = answer.status;
  out.error = answer.error;
  if (answer.interference) out.fault = answer.interference->name;
  out.continues = answer.continues;
  out.body_bytes = answer.body.size();
  out.explanation = answer.explanation;
  out.duration = duration;
  return out;
}

}  // namespace rocktable
