// RequestEvent: a request and its response as a value. Built once per request, and passed to each sink.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/date_time.h"
#include "odata/error.h"
#include "server/request/operation.h"
#include "server/request/request.h"
#include "server/request/request_context.h"
#include "server/request/request_notes.h"
#include "server/request/response.h"
#include "storage/request_stats.h"

namespace rocktable {

// The key under which a request is counted.
struct StatisticsKey {
  std::string account;          // empty: the caller must not learn whether the account exists
  std::string table;            // lower case; empty: an operation without table; `*`: not a valid name
  std::string_view operation;   // a constant: `QueryEntities`; `Refused` if it was refused before it was parsed
  std::string_view plan_class;  // a constant: `row-range`; empty: reads nothing by key

  auto operator<=>(const StatisticsKey&) const = default;
};

// All views are valid while a sink handles the event.
struct RequestEvent {
  std::string_view remote_address;
  std::string_view method;
  std::string_view target;  // raw; may contain a signature (masking.h)
  std::string_view request_id;
  std::string_view account;            // as the target names it, which may not exist; empty: it names none
  const StatisticsKey* key = nullptr;  // null: not a request to the table service; not counted
  std::string_view plan_class;         // as in the key: what the service would do
  std::string_view user_agent;
  std::string_view client_request_id;
  const Caller* caller = nullptr;        // null: nobody; the owner until somebody else is authenticated
  const Operation* operation = nullptr;  // null: refused before it was known
  const RequestNotes* notes = nullptr;   // of its handler
  const Request* request = nullptr;
  const Response* response = nullptr;
  DateTime received;

  RequestStats reads;                  // of the store
  bool counts_entities = true;         // false: `reads` is empty, because nobody counted (server/logs)
  RequestStats counted_reads;          // the part that RunningScanCounter has already counted
  std::uint64_t scanned_in_cloud = 0;  // entities that the service would scan, an estimate where it is not `reads`

  int status = 0;
  std::optional<ErrorCode> error;
  bool continues = false;                // the response has a continuation token
  std::optional<bool> is_billed;         // nullopt: as the status says (odata/insight/billed_requests.h)
  std::size_t body_bytes = 0;            // of the response
  std::string_view explanation;          // why access was refused; empty: not refused, or not requested
  std::string_view changed_by;           // what changed the response on its way (Delivery::changed_by); empty: nothing
  std::chrono::microseconds duration{};  // from the last byte of the request to the response
};

// Returns an event with what all kinds of requests have. `context` and `response` must outlive it, too.
RequestEvent event_of(const Request& request, const RequestContext& context, const Response& response,
                      std::chrono::microseconds duration);

// Receives events. Called on the threads of the connections: must be thread-safe and must not block.
class RequestEventSink {
 public:
  virtual ~RequestEventSink() = default;
  virtual void record(const RequestEvent& event) = 0;
};

}  // namespace rocktable
