#include "server/service.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <thread>

#include "odata/text.h"
#include "server/access/refusal_explanation.h"
#include "server/access/signed_identifiers.h"
#include "server/control/control.h"
#include "server/control/control_response.h"
#include "server/handlers/batch.h"
#include "server/handlers/blob_and_queue_stub.h"
#include "server/handlers/entities.h"
#include "server/handlers/service_properties.h"
#include "server/handlers/table_acl.h"
#include "server/handlers/tables.h"

namespace rocktable {
namespace {

constexpr std::string_view kFirstVersionWithJson = "2013-08-15";
constexpr std::string_view kFirstVersionWithBearerTokens = "2017-11-09";
constexpr std::size_t kMaxClientRequestId = 1024;
constexpr std::chrono::milliseconds kShortQuery{50};

// --- Headers that every request may have ----------------------------------------------------------------

// Source: learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services
constexpr std::array<std::string_view, 48> kVersions = {
    "2009-04-14", "2009-07-17", "2009-09-19", "2011-08-18", "2012-02-12", "2013-08-15", "2014-02-14",
    "2015-02-21", "2015-04-05", "2015-07-08", "2015-12-11", "2016-05-31", "2017-04-17", "2017-07-29",
    "2017-11-09", "2018-03-28", "2018-11-09", "2019-02-02", "2019-07-07", "2019-10-10", "2019-12-12",
    "2020-02-10", "2020-04-08", "2020-06-12", "2020-08-04", "2020-10-02", "2020-12-06", "2021-02-12",
    "2021-04-10", "2021-06-08", "2021-08-06", "2021-10-04", "2021-12-02", "2022-11-02", "2023-01-03",
    "2023-08-03", "2023-11-03", "2024-02-04", "2024-05-04", "2024-08-04", "2024-11-04", "2025-01-05",
    "2025-05-05", "2025-07-05", "2025-11-05", "2026-02-06", "2026-04-06", "2026-06-06"};

constexpr std::string_view kNewestVersion = kVersions.back();

bool is_known_version(std::string_view version) {
  return std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

// A date, yyyy-MM-dd.
bool is_version(std::string_view text) { return text.size() == 10 && parse_date_time(text).has_value(); }

// Any well-formed version is served and echoed, unless `strict`; without one the newest is meant. Throws
// ServiceException.
std::string version_of(const Headers& headers, const QueryParameters& query, bool strict) {
  std::string_view version = headers.get("x-ms-version");
  if (version.empty()) version = query.get("api-version").value_or("");
  if (version.empty()) return std::string(kNewestVersion);
  if (!is_version(version) || (strict && !is_known_version(version)))
    throw ServiceException(ErrorCode::InvalidHeaderValue);
  return std::string(version);
}

// What is signed, or routes a request, has one value. Throws ServiceException.
void require_unambiguous(const Headers& headers, const QueryParameters& query) {
  if (const auto name = repeated_header(headers); !name.empty())
    throw ServiceException(name == "Authorization" ? ErrorCode::InvalidAuthenticationInfo
                                                   : ErrorCode::InvalidHeaderValue);
  if (query.all().size() < 2) return;
  for (const std::string_view name : {"comp", "restype", "api-version", "timeout"})
    if (query.count(name) > 1) throw ServiceException(ErrorCode::InvalidQueryParameterValue);
}

std::string client_request_id_of(const Headers& headers) {
  const auto id = headers.get("x-ms-client-request-id");
  const bool visible = std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return visible && id.size() <= kMaxClientRequestId ? std::string(id) : std::string();
}

// A page of any origin may send what it does not read the answer to, without asking first (fetch's mode no-cors). With a
// key that everybody knows it could sign that, and so write.
bool is_blind_write(const Request& request) {
  return request.method == "POST" && request.headers.get("Sec-Fetch-Mode") == "no-cors";
}

// --- Dispatch -------------------------------------------------------------------------------------------

struct Run {
  TableStore& store;
  const RequestContext& context;
  const std::string& body;
  RequestStats& stats;
  MemoryBudget::Share& memory;

  Response operator()(const CreateTable&) const { return create_table(store, context, body); }
  Response operator()(const QueryTables& o) const { return query_tables(store, context, o); }
  Response operator()(const GetTable& o) const { return get_table(store, context, o); }
  Response operator()(const DeleteTable& o) const { return delete_table(store, context, o); }
  Response operator()(const InsertEntity& o) const { return insert_entity(store, context, o, body, stats); }
  Response operator()(const QueryEntities& o) const {
    return query_entities(store, context, o, stats, memory);
  }
  Response operator()(const GetEntity& o) const { return get_entity(store, context, o, stats); }
  Response operator()(const WriteEntity& o) const { return write_entity(store, context, o, body, stats); }
  Response operator()(const Batch& o) const { return run_batch(store, context, o, body, stats); }
  Response operator()(const GetServiceProperties&) const { return get_service_properties(store, context); }
  Response operator()(const SetServiceProperties&) const {
    return set_service_properties(store, context, body);
  }
  Response operator()(const GetServiceStats&) const { return get_service_stats(context); }
  Response operator()(const GetTableAcl& o) const { return get_table_acl(store, context, o); }
  Response operator()(const SetTableAcl& o) const { return set_table_acl(store, context, o, body); }
  Response operator()(const GetBehindTable&) const { throw ServiceException(ErrorCode::NotImplemented); }
};

// Whether it may visit many entities: all queries but a few look-ups.
bool is_scan(const Operation& operation) {
  constexpr std::size_t kFewLookUps = 100;
  if (const auto* query = std::get_if<QueryEntities>(&operation))
    return query->plan.plan_class != PlanClass::Point || query->plan.ranges.size() > kFewLookUps;
  return std::holds_alternative<QueryTables>(operation);
}

Lane lane_of(const Operation& operation, bool scans, bool sync) {
  if (!scans) return sync && is_write(operation) ? Lane::Partition : Lane::Connection;
  const auto* query = std::get_if<QueryEntities>(&operation);
  return query != nullptr && query->plan.plan_class > PlanClass::PartitionScan ? Lane::Table
                                                                               : Lane::Partition;
}

bool is_front_end(const Operation& operation) {
  return std::holds_alternative<GetServiceProperties>(operation) ||
         std::holds_alternative<SetServiceProperties>(operation) ||
         std::holds_alternative<GetServiceStats>(operation) ||
         std::holds_alternative<GetTableAcl>(operation) || std::holds_alternative<SetTableAcl>(operation);
}

// What goes wrong inside the emulator is told to its log, not to the client.
Response internal_error(const RequestContext& context, const std::exception& fault) {
  spdlog::error("request {} failed: {}", context.request_id, fault.what());
  return error_response(ErrorCode::InternalError, context, ErrorSource::TableLayer);
}

}  // namespace

Service::Service(TableStore& store, Accounts accounts, ServiceOptions options)
    : store_(store),
      authenticator_(
          std::move(accounts),
          [&store](std::string_view account, std::string_view table) {
            const auto stored = store.signed_identifiers({account, table});
            return stored ? parse_signed_identifiers(*stored).value() : std::vector<SignedIdentifier>();
          },
          options.bearer_tokens),
      cors_rules_(store),
      options_(std::move(options)) {}

void Service::accept_control(const Request& request, Call& call) const {
  // Beside a token a key that everybody knows would open what the token closes.
  const bool secret = !options_.control.token.empty();
  const auto is_signed = [&] {
    return authenticator_.is_signed_by_an_account(request, call.context_.received, secret);
  };
  if (const auto refusal =
          refuse_control(options_.control, control_resource(request.target), request.headers, is_signed)) {
    call.refusal_ = control_refusal(*refusal);
    return;
  }
  call.is_control_ = true;
  if (control_may_block({request.method, request.target})) call.lane_ = Lane::Control;
}

Response Service::control(const Request& request) {
  const ControlState state{
      statistics_, stopping_, store_,
      [this](std::string_view account) { return authenticator_.require_account(account).has_value(); },
      [this] { cors_rules_.forget_all(); }};
  try {
    return control_response({request.method, request.target}, state);
  } catch (const ServiceException& refusal) {
    return control_failure(refusal);
  } catch (const std::exception& fault) {
    spdlog::error("{} {} failed: {}", request.method, request.target, fault.what());
    return control_failure(fault);
  }
}

void Service::refuse_access(const Request& request, const Target& target, const RequestContext& context,
                            const Error& error) const {
  if (context.explanation && request.service == StorageService::Table) {
    *context.explanation =
        explain_authentication(authenticator_, request, target, options_.secure, context.received, error);
  }
  throw ServiceException(error);
}

void Service::accept(const Request& request, Call& call, ErrorSource& source) {
  RequestContext& context = call.context_;
  context.client_request_id = client_request_id_of(request.headers);
  if (request.headers.count("Host") > 1) throw ServiceException(ErrorCode::InvalidHeaderValue);
  context.target =
      parse_target(request.target, request.headers.get("Host"), options_.secure, options_.product_style)
          .value();
  const Target& target = context.target;
  const QueryParameters query = QueryParameters::parse(target.query).value();
  const OperationRequest parts{request.method, target.resource, query, request.headers, target.account};
  const bool is_for_tables = request.service == StorageService::Table;
  if (is_for_tables) context.preferences = parse_preferences(parts);
  context.version = version_of(request.headers, query, options_.strict_api_version);
  require_unambiguous(request.headers, query);
  if (const auto known = authenticator_.require_account(target.account); !known)
    refuse_access(request, target, context, known.error());
  if (request.method == "OPTIONS") {
    if (!is_for_tables) throw ServiceException(ErrorCode::CorsPreflightFailure);  // there are no rules
    call.refusal_ = preflight(context, *cors_rules_.of(target.account), request.headers);
    return;
  }
  call.account_exists_ = true;
  if (is_blind_write(request)) throw ServiceException(ErrorCode::AuthorizationFailure);
  const auto caller = authenticator_.authenticate(request, target, options_.secure, context.received);
  if (!caller) refuse_access(request, target, context, caller.error());
  context.caller = *caller;
  if (caller->kind == Caller::Kind::Bearer && context.version < kFirstVersionWithBearerTokens)
    throw ServiceException(ErrorCode::AuthenticationFailed);
  call.account_known_ = true;
  if (!is_for_tables) {
    call.refusal_ = blob_and_queue_response(request, query, context);
    return;
  }

  const bool front_end = query.get("comp").has_value();
  if (!front_end) source = ErrorSource::TableLayerEarly;
  if (context.version < kFirstVersionWithJson) throw ServiceException(ErrorCode::JsonFormatNotSupported);
  call.operation_ = parse_operation(parts);
  if (!front_end) source = ErrorSource::TableLayer;
  require_access(context, *call.operation_);
  // Whether a batch is a write shows in its body: run_batch() looks.
  if (target.secondary && is_write(*call.operation_) && !std::holds_alternative<Batch>(*call.operation_))
    throw ServiceException(ErrorCode::InsufficientAccountPermissions);
  if (const auto plan_class = plan_class_of(*call.operation_)) call.plan_class_ = to_string(*plan_class);
  call.scans_ = is_scan(*call.operation_);
  call.lane_ = lane_of(*call.operation_, call.scans_, options_.sync);
}

Service::Call Service::accept(const Request& request) {
  Call call;
  call.service_ = this;
  call.request_ = &request;
  call.context_.request_id = new_guid();
  call.context_.received = now();
  call.context_.version = kNewestVersion;
  call.context_.service = request.service;
  const bool is_for_tables = request.service == StorageService::Table;
  const bool is_control = is_for_tables && request.target.starts_with(kControlPrefix);
  call.counts_ = is_for_tables && !is_control;
  if (options_.explain_auth) call.context_.explanation = std::make_shared<std::string>();
  ErrorSource source = ErrorSource::FrontEnd;
  try {
    if (is_control) {
      accept_control(request, call);
    } else {
      accept(request, call, source);
    }
  } catch (const ServiceException& refusal) {
    if (options_.explain_auth && call.explanation().empty())
      *call.context_.explanation = explain_code(refusal.error().code);
    call.refusal_ = error_response(refusal.error(), call.context_, source);
    if (refusal.error().code == ErrorCode::MethodNotAllowed)
      call.refusal_->add("Allow",
                         allowed_methods(call.context_.target.resource, source == ErrorSource::FrontEnd));
  } catch (const std::exception& fault) {
    call.refusal_ = internal_error(call.context_, fault);
  }
  return call;
}

Response Service::Call::execute(MemoryBudget::Share& memory) {
  const bool front_end = is_front_end(*operation_);
  try {
    Response response =
        std::visit(Run{service_->store_, context_, *request_->body, stats_, memory}, *operation_);
    if (std::holds_alternative<SetServiceProperties>(*operation_))
      service_->cors_rules_.forget(context_.target.account);
    return response;
  } catch (const ServiceException& refusal) {
    const bool early = refusal.error().code == ErrorCode::TableNotFound;
    return error_response(refusal.error(), context_,
                          front_end ? ErrorSource::FrontEnd
                          : early   ? ErrorSource::TableLayerEarly
                                    : ErrorSource::TableLayer);
  } catch (const std::exception& fault) {
    return internal_error(context_, fault);
  }
}

StatisticsKey Service::Call::statistics_key() const {
  // The account that a stranger asks for is any bytes, and could be as many different ones as there is room.
  if (!operation_) return {account_known_ ? context_.target.account : "", "", "Refused", ""};
  // What cannot be a table's name is a client's invention of any length.
  const std::string_view table = table_of(*operation_);
  const bool possible = table.empty() || check_table_name(table).has_value();
  return {context_.target.account, possible ? to_lower_ascii(table) : "*", name_of(*operation_), plan_class_};
}

// Between two entities of a scan; false ends it.
bool Service::Call::keep_scanning(LiveCount& live, ScanThrottle::Scan& scan,
                                  const std::atomic<bool>& hung_up) {
  const auto now = std::chrono::steady_clock::now();
  live.update(stats_, now);
  if (const auto rest = scan.rest(now); rest > rest.zero()) std::this_thread::sleep_for(rest);
  // A client that only shuts down its sending side looks the same, and gets the answer to a short query whole.
  return !hung_up || now - start_ < kShortQuery;
}

Response Service::Call::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  Response response;
  if (!counts_) {
    response = is_control_ ? service_->control(*request_) : std::move(*refusal_);
    response.sends_body = request_->method != "HEAD";
    return response;
  }
  try {
    start_ = std::chrono::steady_clock::now();
    LiveCount live(service_->statistics_, statistics_key());
    std::optional<ScanThrottle::Scan> scan;
    if (scans_) {
      scan.emplace(service_->scan_throttle_, start_);
      if (lane_ == Lane::Partition) scan->claim(start_);
      stats_.progress = [&](const RequestStats&) { return keep_scanning(live, *scan, hung_up); };
    } else {
      service_->scan_throttle_.claim(start_);
    }
    response = refusal_ ? std::move(*refusal_) : execute(memory);
    stats_.progress = nullptr;
    const bool continues = response.fields.find("x-ms-continuation-") != std::string::npos;
    live.finish(stats_, response.status, continues, response.body.size());
    add_own_fields(response);
  } catch (
      const ServiceException& refusal) {  // the store is being exchanged, and the account's settings with it
    response = error_response(refusal.error(), context_, ErrorSource::TableLayer);
  } catch (const std::exception& fault) {
    response = internal_error(context_, fault);
  }
  response.sends_body = request_->method != "HEAD";
  return response;
}

// What the account's settings and the emulator's options add to an answer.
void Service::Call::add_own_fields(Response& response) const {
  if (service_->options_.explain_headers && !explanation().empty())
    response.add("x-rocktable-explain", explanation());
  if (service_->options_.insight_headers && !plan_class_.empty()) {
    response.add("x-rocktable-plan", plan_class_);
    response.add("x-rocktable-scanned", std::to_string(stats_.entities_scanned));
    response.add("x-rocktable-returned", std::to_string(stats_.entities_returned));
  }
  if (account_exists_) {
    add_cors_fields(response, *service_->cors_rules_.of(context_.target.account), request_->method,
                    request_->headers.get("Origin"));
  }
}

Response Service::refuse(const Error& error, StorageService service) const {
  RequestContext context;
  context.service = service;
  context.request_id = new_guid();
  context.received = now();
  context.version = kNewestVersion;
  return error_response(error, context, ErrorSource::FrontEnd);
}

}  // namespace rocktable
