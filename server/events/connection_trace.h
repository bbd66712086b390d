// What one connection tells the trace: the request at work, step by step, until its answer is written.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "odata/error.h"
#include "server/events/request_event.h"
#include "server/events/trace.h"
#include "server/request/request.h"

namespace rocktable {

class ConnectionTrace {
 public:
  using Clock = std::chrono::steady_clock;

  struct Ends {
    std::string server_address;
    std::uint16_t server_port = 0;
    std::string client_address;
  };

  // The trace must outlive this.
  ConnectionTrace(Trace& trace, Ends ends)
      : trace_(trace), ends_(std::move(ends)), connection_(trace.next_connection()) {}

  // From now on URLs start with https.
  void secure() { is_secure_ = true; }

  // Bytes of a request are there. What it says while one is at work is not looked at.
  void begin() {
    if (!started_) begin_now();
  }

  // The request is refused by its head, and its memory goes back: the first kFreeBytes of target and headers are kept, and
  // nothing of the body.
  void keep_head(const Request& request, bool http_1_0);

  // What the call came to; the views are copied.
  void keep_outcome(const RequestEvent& event);

  // All of the request is there. It must stay until the answer is written.
  void complete(const Request& request, std::size_t body_bytes, bool http_1_0);

  // It does not become whole. `unread`: what came, and is no part of `request`, if the head was not complete.
  void break_off(const Request& request, std::size_t body_bytes, bool http_1_0, std::string_view unread,
                 std::string comment);

  // The answer was written, or could not be: writes the entry. `bytes` begins with the head.
  void answer(std::string_view bytes, std::string_view body, std::optional<ErrorCode> error,
              Clock::time_point since, bool written);

  // There is no answer: writes the entry, if bytes of a request came.
  void leave_unanswered(std::string comment = {});

 private:
  void begin_now();
  void write(TracedExchange& exchange);

  Trace& trace_;
  Ends ends_;
  std::uint64_t connection_;
  bool is_secure_ = false;

  // Of the request at work.
  std::optional<Clock::time_point> started_;
  std::chrono::system_clock::time_point started_at_;
  Clock::time_point whole_;
  const Request* request_ = nullptr;
  bool http_1_0_ = false;
  std::size_t body_bytes_ = 0;
  std::string head_;  // empty: still that of `request_`
  std::string request_id_, plan_class_, explanation_, comment_;
  std::uint64_t entities_scanned_ = 0, entities_returned_ = 0;
};

}  // namespace rocktable
