// Accepts a request (parses it, authenticates the caller), then runs it and renders the response. Uses no socket, and
// never waits for the network.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>

#include "server/access/authenticator.h"
#include "server/access/control_access.h"
#include "server/behaviour/behaviours.h"
#include "server/disturbance.h"
#include "server/events/statistics.h"
#include "server/faults/fault_plan.h"
#include "server/faults/retry_log.h"
#include "server/handlers/cors.h"
#include "server/insight/insight.h"
#include "server/limits/memory_budget.h"
#include "server/limits/scan_throttle.h"
#include "server/monitor/recent_requests.h"
#include "server/request/error_response.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/table_store.h"

namespace rocktable {

// The threads that run a call. Calls of one lane never wait for the threads of another.
enum class Lane {
  Connection,  // the connection's own thread: work of microseconds
  Control,     // control calls that go through the store
  Partition,   // queries within named partitions, and writes that wait for the disk
  Table,       // queries over many partitions, which may take seconds
  Database,  // reads and writes of entities that wait for the database: the connection's own thread, which runs others
             // meanwhile (http/store_calls.h)
};

struct ServiceOptions {
  bool product_style = true;        // accept accounts in host names, too
  bool secure = false;              // the connection is TLS: links start with https
  bool sync = false;                // the store syncs each commit, so that writes may block
  bool strict_api_version = false;  // refuse versions that the service never had
  bool bearer_tokens = false;       // accept them over HTTPS
  bool explain_auth = false;        // explain refusals of access to the logs
  bool explain_headers = false;     // and to the client
  bool insight_headers = false;     // report the cost of a request in headers of our own
  bool explorer = true;             // serve the pages of /_rocktable/
  ControlPolicy control = {};       // who may use /_rocktable/
  Behaviour behaviour = {};         // of all accounts
  std::shared_ptr<TimeSource> time = std::make_shared<TimeSource>();
};

// Whether a request is for the control API, or for what comes through it.
bool is_for_control(const Request& request);

class Service {
 public:
  // The store must outlive the service.
  Service(TableStore& store, Accounts accounts, ServiceOptions options);

  // An accepted request: parsed, authenticated and planned, or with a response already. Holds views of the request,
  // which must outlive it.
  class Call {
   public:
    // As Service::accept(), for a call that is constructed in place.
    Call(Service& service, const Request& request);

    Lane lane() const { return lane_; }

    // Returns whether run() changes nothing, so that it need not run if the client has hung up.
    bool only_reads() const { return scans_; }

    // Returns whether run() has changed nothing that a client can ask for, so that it may get busy() in place of the response.
    bool changed_nothing() const;

    // Returns the response that tells the client to come again, because there is no memory for the one that it asked for.
    Response busy() const { return refuse(ServiceException(ErrorCode::ServerBusy)); }

    // Returns whether the response is known already. Then run() does not use the body of the request.
    bool is_refused() const { return response_.has_value(); }

    // Returns whether faults or simulated behaviour may change this request.
    bool is_disturbed() const { return disturbance_ != nullptr; }

    // Decides which fault hits this request; call it before run() if it is disturbed. Returns how long to wait before
    // run().
    std::chrono::microseconds meet_faults();

    // Call instead of run() if the client hung up while the request was delayed. Nothing was done.
    void give_up();

    // Runs the operation. Never throws: logs a failure that no client can cause, and returns 500 InternalError. A scan
    // ends soon after `hung_up` becomes true. `memory` is charged for the response: a page grows within it.
    Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);

    // Returns the event of this request with its response. It holds views of the call, the request and the response.
    RequestEvent event(const Response& response, std::chrono::microseconds duration) const;

   private:
    friend class Service;

    enum class Kind {
      Tables,
      BlobOrQueue,
      Control,
      Owner,  // a request to the table service through the control API
    };

    // The progress of a request. Each stage includes the previous ones.
    enum class Stage {
      Received,
      AccountFound,   // the account exists: its CORS rules apply to every response
      Authenticated,  // the caller may know that the account exists
      Parsed,
    };

    static Kind kind_of(const Request& request);
    // Whether its refusals have the form of the control API.
    bool is_of_control() const { return kind_ == Kind::Control || (kind_ == Kind::Owner && !may_ask_); }

    template <class Step>
    std::invoke_result_t<Step> guard(const Step& step);
    Response refuse(const ServiceException& refusal) const;
    Response fail(const std::exception& fault) const;
    ErrorSource source_of(ErrorCode code) const;

    Response execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);
    // Never throws.
    Response try_to_execute(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);
    Response dispatch(MemoryBudget::Share& memory);
    bool keep_scanning(std::optional<RunningScanCounter>& live, ScanThrottle::Scan& scan,
                       const std::atomic<bool>& hung_up);
    void add_own_fields(Response& response) const;
    StatisticsKey statistics_key() const;

    // In owner_call.cc
    void keep_boundaries_only();
    void add_owners_fields(Response& response) const;
    std::string_view owners_target() const;

    // In disturbed_call.cc
    void prepare_disturbance();
    Response execute_disturbed(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);
    Response faulted(Response answer) const;
    bool is_admitted() const;
    void charge_reads() const;
    void finish_disturbed(Response& response);
    void record_attempt(const Response& response);

    Service* service_;
    const Request* request_;
    Kind kind_;
    Stage stage_ = Stage::Received;
    bool front_end_ = false;  // asks for `?comp=...`
    RequestContext context_;
    std::optional<Operation> operation_;
    std::optional<Response> response_;  // of refusals, preflights, and the blob and queue service
    Lane lane_ = Lane::Connection;
    bool scans_ = false;  // may visit many entities
    std::string_view plan_class_;
    std::chrono::steady_clock::time_point start_;  // of run()
    RequestStats stats_, counted_stats_;
    RequestNotes notes_;
    StatisticsKey key_;
    std::unique_ptr<Disturbance> disturbance_;  // null: the request runs undisturbed

    // Of requests through the control API.
    bool may_ask_ = false;                               // the control API lets the caller in
    std::unique_ptr<Request> forwarded_;                 // the request to the table service
    std::unique_ptr<const Behaviour> owners_behaviour_;  // null: everything is off
  };

  // Reads no entity, and not the body of the request, which may not have arrived yet. Never throws. Thread-safe.
  Call accept(const Request& request);

  // Returns the response to input that is not a valid request: malformed HTTP, a body that is too large.
  Response refuse(const Error& error, StorageService service) const;

  // Makes the service report from now on that it is not ready. Thread-safe.
  void begin_stop() { stopping_ = true; }

  // The time of the emulator.
  DateTime now() const { return options_.time->now(); }

  // Whether the store waits for another machine.
  bool waits_for_store() const { return store_.is_remote(); }

  // The rules that decide which requests fail.
  FaultPlan& faults() { return faults_; }

  // Counts the events of requests.
  Statistics& statistics() { return statistics_; }

  // Observes the events of requests.
  Insight& insight() { return insight_; }

  // Keeps the last events of requests, while somebody asks for them.
  RecentRequests& recent_requests() { return recent_requests_; }

 private:
  // Prepare `call`, or return the response immediately. Throw ServiceException.
  std::optional<Response> accept(const Request& request, Call& call);
  std::optional<Response> accept_control(const Request& request, Call& call);
  std::optional<Response> accept_as_owner(const Request& request, Call& call);
  std::optional<ControlRefusal> refuse_control(const Request& request) const;
  Response run_control(const Request& request, const std::atomic<bool>& hung_up);
  std::optional<std::string> past_policies(std::string_view account, std::string_view table);
  void refuse_page(const Request& request, const std::string& account);
  bool is_disturbed() const { return behaviours_.is_active() || faults_.is_active(); }
  [[noreturn]] void refuse_access(const Request& request, const RequestContext& context,
                                  const Error& error) const;

  TableStore& store_;
  Authenticator authenticator_;
  CorsRules cors_rules_;
  Statistics statistics_;
  Insight insight_;
  RecentRequests recent_requests_;
  ScanThrottle scan_throttle_;
  ServiceOptions options_;
  Behaviours behaviours_;
  FaultPlan faults_;
  RetryLog retries_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace rocktable
