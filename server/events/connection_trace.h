// Collects the trace entry of the current request of one connection, step by step, until the response is
// written.
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

  struct Addresses {
    std::string server_address;
    std::uint16_t server_port = 0;
    std::string client_address;
  };

  // The trace must outlive this.
  ConnectionTrace(Trace& trace, Addresses addresses)
      : trace_(trace), addresses_(std::move(addresses)), connection_(trace.next_connection()) {}

  // Call after the TLS handshake: URLs start with https from then on.
  void secure() { is_secure_ = true; }

  // Call when the first bytes of a request arrive. Has no effect during a request.
  void begin() {
    if (!started_) begin_now();
  }

  // Call if the request is refused by its head and its memory is released. Copies the first kFreeBytes of the
  // target and of the headers, and nothing of the body.
  void keep_head(const Request& request, bool http_1_0);

  // Copies the outcome of the request.
  void keep_outcome(const RequestEvent& event);

  // Call when the request is complete. `request` must live until the response is written.
  void complete(const Request& request, std::size_t body_bytes, bool http_1_0);

  // Call if the request stays incomplete. `unread`: if the head is incomplete, the received bytes that are
  // not part of `request`.
  void fail(const Request& request, std::size_t body_bytes, bool http_1_0, std::string_view unread,
            std::string comment);

  // Call after writing the response, or failing to write it. Writes the entry. `bytes` starts with the head
  // of the response.
  void end_with_response(std::string_view bytes, std::string_view body, std::optional<ErrorCode> error,
                         Clock::time_point since, bool written);

  // Call if there is no response. Writes the entry if bytes of a request arrived.
  void end_without_response(std::string comment = {});

 private:
  void begin_now();
  void write(TracedExchange& exchange);

  Trace& trace_;
  Addresses addresses_;
  std::uint64_t connection_;
  bool is_secure_ = false;

  // State of the current request.
  std::optional<Clock::time_point> started_;
  std::chrono::system_clock::time_point started_at_;
  Clock::time_point whole_;
  const Request* request_ = nullptr;
  bool http_1_0_ = false;
  std::size_t body_bytes_ = 0;
  std::string head_;  // empty: use that of `request_`
  std::string request_id_, plan_class_, explanation_, comment_;
  std::uint64_t entities_scanned_ = 0, entities_scanned_here_ = 0, entities_returned_ = 0;
};

}  // namespace rocktable
