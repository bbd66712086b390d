#include "server/calls/table_call.h"

#include <functional>
#include <thread>
#include <utility>

#include "base/text.h"
#include "server/access/authorization.h"
#include "server/access/refusal_explanation.h"
#include "server/handlers/dispatch.h"
#include "server/request/operation_table.h"

namespace rocktable {
namespace {

constexpr std::string_view kFirstVersionWithJson = "2013-08-15";
constexpr std::chrono::milliseconds kShortQuery{50};

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
Executor executor_of(const Operation& operation, bool scans, bool is_remote, bool sync) {
  if (!scans && is_remote) return may_share_its_thread(operation) ? Executor::Database : Executor::Partition;
  if (!scans) return sync && row_of(operation).is_write ? Executor::Partition : Executor::Connection;
  const auto* query = std::get_if<QueryEntities>(&operation);
  return query != nullptr && query->plan.plan_class > PlanClass::PartitionScan ? Executor::Table : Executor::Partition;
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

std::unique_ptr<const Request> without_prefix(const Request& request, std::size_t prefix) {
  auto out = std::make_unique<Request>(request);
  out->target.remove_prefix(prefix);
  return out;
}

}  // namespace

// --- Accept ---------------------------------------------------------------------------------------------

TableCall::TableCall(TableService& service, const Request& request, Door door, std::size_t prefix)
    : service_(service),
      door_(door),
      received_(request),
      inner_(door == Door::Owner ? without_prefix(request, prefix) : nullptr),
      request_(inner_ ? *inner_ : request),
      admission_(service, request_),
      executor_(service.store.is_remote() ? Executor::Database : Executor::Connection) {
  response_ = admission_.guard([this] { return accept(); });
  key_ = statistics_key();
}

// Returns the response if it is known already.
std::optional<Response> TableCall::accept() {
  const bool is_owner = door_ == Door::Owner;
  const QueryParameters query = admission_.read_head(service_.options.product_style && !is_owner);
  admission_.require_account();
  const RequestContext& context = admission_.context();
  const Target& target = context.target;
  if (is_owner) {
    admission_.admit_owner();
  } else {
    if (request_.method == "OPTIONS")
      return preflight(context, service_.cors_rules.of(target.account), request_.headers);
    admission_.authenticate();
  }
  if (context.version < kFirstVersionWithJson) throw ServiceException(ErrorCode::JsonFormatNotSupported);
  operation_ = parse_operation({request_.method, target.resource, query, request_.headers});
  admission_.note_parsed();
  require_access(context, *operation_);
  check_location(target, *operation_).value();
  if (const auto plan_class = cloud_class_of(*operation_)) plan_class_ = to_string(*plan_class);
  scans_ = is_scan(*operation_);
  executor_ = executor_of(*operation_, scans_, service_.store.is_remote(), service_.options.sync);
  return std::nullopt;
}

// --- Run ------------------------------------------------------------------------------------------------

Response TableCall::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  start_ = std::chrono::steady_clock::now();
  if (door_ == Door::Service && !scans_) service_.scan_throttle.note_request(start_, request_.connection);
  if (response_) return complete(*std::move(response_));
  return respond([&] { return execute(hung_up, memory); });
}

Response TableCall::execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  // Before anything is done: if they cannot be read, 503 means that nothing was.
  if (door_ == Door::Service) cors_rules_ = service_.cors_rules.of(admission_.context().target.account);
  if (!scans_) return dispatch(memory);
  std::optional<RunningScanCounter> live;
  if (door_ == Door::Service) live.emplace(service_.statistics, key_, counted_stats_);
  ScanThrottle::Scan scan(service_.scan_throttle, start_, request_.connection);
  if (executor_ == Executor::Partition) scan.note_request(start_);
  const ScanProgress progress(stats_, [&](const RequestStats&) { return keep_scanning(live, scan, hung_up); });
  return dispatch(memory);
}

Response TableCall::dispatch(MemoryBudget::Share& memory) {
  const RequestContext& context = admission_.context();
  Response response =
      rocktable::dispatch(*operation_, {.store = service_.store,
                                        .cors_rules = service_.cors_rules,
                                        .request = context,
                                        .body = *request_.body,
                                        .stats = stats_,
                                        .notes = notes_,
                                        .memory = memory,
                                        .delegation_keys = service_.authenticator.tokens().delegation.get()});
  const auto* const query = std::get_if<QueryEntities>(&*operation_);
  if (query != nullptr && query->cloud)  // what the service would have read is estimated once the answer is there
    notes_.scanned_in_cloud =
        service_.cloud_reads.estimate(service_.store, {context.target.account, query->table}, *query, context.caller,
                                      notes_.next, stats_.entities_scanned);
  return response;
}

// Called between two entities of a scan. Returns false to end the scan.
bool TableCall::keep_scanning(std::optional<RunningScanCounter>& live, ScanThrottle::Scan& scan,
                              const std::atomic<bool>& hung_up) {
  const auto now = std::chrono::steady_clock::now();
  if (live) live->update(stats_, now);
  // A query within a partition of a shared store mostly waits for it, and would rest for its waits.
  const bool rests = executor_ == Executor::Table || !service_.store.is_remote();
  const auto rest = rests ? scan.rest(now) : std::chrono::steady_clock::duration::zero();
  if (rest > rest.zero()) std::this_thread::sleep_for(rest);
  // A client that only shuts down its sending side looks the same. It gets the whole answer to a short query.
  return !hung_up || now - start_ < kShortQuery;
}

// --- The response -----------------------------------------------------------------------------------------

Response TableCall::complete(Response response) const {
  auto refusal = admission_.guard([&]() -> std::optional<Response> {
    add_own_fields(response);  // refused while the store is replaced, and the account's settings with it
    return std::nullopt;
  });
  if (refusal) response = *std::move(refusal);
  response.sends_body = request_.method != "HEAD";
  return response;
}

// Adds the headers that the account's settings and the emulator's options ask for.
void TableCall::add_own_fields(Response& response) const {
  const bool is_owner = door_ == Door::Owner;
  if (service_.options.explain_headers && !response.explanation.empty())
    response.add("x-rocktable-explain", response.explanation);
  if ((service_.options.insight_headers || is_owner) && !plan_class_.empty()) {
    response.add("x-rocktable-plan", plan_class_);
    response.add("x-rocktable-scanned", std::to_string(scanned_in_cloud()));
    response.add("x-rocktable-returned", std::to_string(stats_.entities_returned));
    response.add("x-rocktable-read", std::to_string(stats_.entities_scanned));
  }
  if (is_owner) {
    const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start_;
    response.add("x-rocktable-milliseconds", std::to_string(time.count()));
  } else if (admission_.has(Admission::Stage::AccountFound)) {
    const auto& rules = cors_rules_ ? *cors_rules_ : service_.cors_rules.of(admission_.context().target.account);
    add_cors_fields(response, rules, request_.method, request_.headers.get("Origin"));
  }
}

// --- The event ------------------------------------------------------------------------------------------

StatisticsKey TableCall::statistics_key() const {
  const std::string& account = admission_.context().target.account;
  // The account of an unauthenticated request is any text: it could fill the statistics.
  if (!operation_) return {admission_.has(Admission::Stage::Authenticated) ? account : "", "", "Refused", ""};
  // A text that cannot be the name of a table is of any length, and so is their number.
  const std::string_view table = table_of(*operation_);
  const bool possible = table.empty() || check_table_name(table).has_value();
  return {account, possible ? to_lower_ascii(table) : "*", row_of(*operation_).name, plan_class_};
}

RequestEvent TableCall::event(const Response& response, std::chrono::microseconds duration) const {
  RequestEvent out = event_of(request_, admission_.context(), response, duration);
  out.target = received_.target;
  out.key = door_ == Door::Service ? &key_ : nullptr;
  out.plan_class = plan_class_;
  out.operation = operation();
  out.notes = &notes_;
  out.reads = stats_;
  out.scanned_in_cloud = scanned_in_cloud();
  out.counted_reads = counted_stats_;
  return out;
}

}  // namespace rocktable
