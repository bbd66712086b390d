// One request and its answer, as a value: made once, when the answer is known, and handed to each sink.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "odata/error.h"
#include "storage/request_stats.h"

namespace rocktable {

// What a request is counted under.
struct StatisticsKey {
  std::string account;  // empty: no account that the caller may know of
  std::string table;    // lower case; empty: the operation addresses none; `*`: no table can have that name
  std::string_view
      operation;  // a constant: `QueryEntities`; `Refused` if it was refused before it was parsed
  std::string_view plan_class;  // a constant: `row-range`; empty: nothing is read by key

  auto operator<=>(const StatisticsKey&) const = default;
};

// All views are valid while a sink handles the event.
struct RequestEvent {
  std::string_view remote_address;
  std::string_view method;
  std::string_view target;  // raw; may hold a signature (masking.h)
  std::string_view request_id;
  const StatisticsKey* key = nullptr;  // null: not a request to the table service, and not counted
  std::string_view plan_class;         // as in the key

  RequestStats reads;          // of the store
  RequestStats counted_reads;  // the part of them that LiveCount has counted already

  int status = 0;
  std::optional<ErrorCode> error;
  bool continues = false;        // the answer has a continuation token
  std::size_t body_bytes = 0;    // of the answer
  std::string_view explanation;  // why access was refused; empty: it was not, or nobody asks (--explainAuth)
  std::chrono::microseconds duration{};  // from the last byte of the request to the answer
};

// Handles events. Called from the connections' threads: must be thread-safe, and must not block.
class RequestEventSink {
 public:
  virtual ~RequestEventSink() = default;
  virtual void take(const RequestEvent& event) = 0;
};

}  // namespace rocktable
