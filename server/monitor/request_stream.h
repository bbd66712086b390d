// The recent requests as server-sent events: a response without an end.
// Source: html.spec.whatwg.org/multipage/server-sent-events.html
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "server/monitor/recent_requests.h"
#include "server/request/body_stream.h"

namespace rocktable {

// Sends `event: start` with {"next": 43}; then `event: request` with the document of a request, and `event: gap` with
// {"missed": 1800} for requests that are not sent, but may be kept; a comment from time to time.
class RequestStream : public BodyStream {
 public:
  // `requests` must outlive it, and keep requests. `first`: the number of the first request; nullopt: the next one that
  // comes.
  RequestStream(RecentRequests& requests, std::optional<std::uint64_t> first, WantedRequests wanted);

  std::string next() override;

 private:
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<RequestWindow> window_;
  WantedRequests wanted_;
  std::uint64_t next_;
  std::string begin_;
  Clock::time_point sent_;
};

}  // namespace rocktable
