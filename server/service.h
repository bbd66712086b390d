// One request in, one answer out: who asks, what is asked, do it, render it. Knows no socket; neither step
// waits for the network.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "server/access/authenticator.h"
#include "server/access/control_access.h"
#include "server/events/statistics.h"
#include "server/handlers/cors.h"
#include "server/limits/memory_budget.h"
#include "server/limits/scan_throttle.h"
#include "server/request/error_response.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "storage/table_store.h"

namespace rocktable {

// The threads that do the work of a call. What belongs to one kind never waits for the threads of another.
enum class Lane {
  Connection,  // the connection's own: work of microseconds
  Control,     // control calls that go through the store
  Partition,   // queries within named partitions, and writes that wait for the disk
  Table,       // queries over many partitions, which may take seconds
};

struct ServiceOptions {
  bool product_style = true;        // accounts in host names, too
  bool secure = false;              // the connection is TLS: links start with https
  bool sync = false;                // the store syncs each commit, so that writes may block
  bool strict_api_version = false;  // refuse versions that the service never had
  bool bearer_tokens = false;       // taken over HTTPS
  bool explain_auth = false;        // refusals of access say why: to the log, for one
  bool explain_headers = false;     // and to the client
  bool insight_headers = false;     // tell in headers of our own what a request cost
  ControlPolicy control = {};       // who may use /_rocktable/
};

class Service {
 public:
  // The store must outlive the service.
  Service(TableStore& store, Accounts accounts, ServiceOptions options);

  // An accepted request: parsed, authenticated and planned, or refused already. Views the request, which must
  // outlive it.
  class Call {
   public:
    Lane lane() const { return lane_; }

    // Whether run() only reads: nobody misses what it did not do for a client that has gone.
    bool only_reads() const { return scans_; }

    // Whether it is refused already: then run() has no use for the request's body.
    bool is_refused() const { return refusal_.has_value(); }

    // Does the work. Never throws; what no client can cause is logged and answered 500 InternalError. A scan
    // ends soon after `hung_up` has become true: nobody is left to read its answer. `memory` is the answer's: a page
    // grows within it.
    Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory);

    const std::string& request_id() const { return context_.request_id; }

    // What it cost, once run() has returned: the class of its plan (empty where it read nothing by key), and
    // what was read.
    std::string_view plan_class() const { return plan_class_; }
    const RequestStats& stats() const { return stats_; }

    // Why access was refused, where the options ask for it.
    std::string_view explanation() const {
      return context_.explanation ? std::string_view(*context_.explanation) : std::string_view();
    }

   private:
    friend class Service;

    Response execute(MemoryBudget::Share& memory);
    bool keep_scanning(LiveCount& live, ScanThrottle::Scan& scan, const std::atomic<bool>& hung_up);
    void add_own_fields(Response& response) const;
    StatisticsKey statistics_key() const;

    Service* service_ = nullptr;
    const Request* request_ = nullptr;
    RequestContext context_;
    std::optional<Operation> operation_;
    std::optional<Response> refusal_;
    bool is_control_ = false;  // of /_rocktable/, and to be answered by run()
    RequestStats stats_;
    std::chrono::steady_clock::time_point start_;  // of run()
    std::string_view plan_class_;
    bool scans_ = false;  // may visit many entities
    Lane lane_ = Lane::Connection;
    bool counts_ = true;           // as a request for tables
    bool account_exists_ = false;  // its CORS rules count, whoever calls
    bool account_known_ = false;   // who called is allowed to know that there is this account
  };

  // Touches no entity, nor the request's body, which may still be on its way. Never throws. Thread-safe.
  Call accept(const Request& request);

  // The answer to what is not even a request: broken HTTP, a body that is too large.
  Response refuse(const Error& error, StorageService service) const;

  // The server stops: from now on it says that it is not ready. Thread-safe.
  void begin_stop() { stopping_ = true; }

 private:
  // Fills `call`, or throws ServiceException; `source` then says who refuses.
  void accept(const Request& request, Call& call, ErrorSource& source);
  void accept_control(const Request& request, Call& call) const;
  Response control(const Request& request);
  // Throws ServiceException, after it has told an context that asks why.
  [[noreturn]] void refuse_access(const Request& request, const Target& target, const RequestContext& context,
                                  const Error& error) const;

  TableStore& store_;
  Authenticator authenticator_;
  CorsRules cors_rules_;
  Statistics statistics_;
  ScanThrottle scan_throttle_;
  ServiceOptions options_;
  std::atomic<bool> stopping_ = false;
};

}  // namespace rocktable
