#include "server/limits/scan_throttle.h"

#include <algorithm>

namespace rocktable {
namespace {

using namespace std::chrono_literals;
using Clock = ScanThrottle::Clock;

constexpr Clock::duration kNoteInterval = 1ms;
constexpr Clock::duration kRequestLasts = 5ms;  // a short request counts for this long
constexpr Clock::duration kShortScan = 2ms;     // a scan this young counts as a short request
constexpr Clock::duration kWork = 100us;        // too little for a short request to notice
constexpr int kRest = 3;                        // times the work time: leaves a quarter of a core to scans
constexpr Clock::duration kMaxRest = 100ms;     // then checks again for short requests

Clock::time_point at(Clock::rep ticks) { return Clock::time_point(Clock::duration(ticks)); }

}  // namespace

// A connection that scans sends no short request meanwhile. So a request of its own that hides one of another
// connection within a millisecond is the last before the scan, and the next request counts.
void ScanThrottle::note_request(Clock::time_point now, ConnectionId connection) {
  if (now - at(last_request_.load(std::memory_order_relaxed)) < kNoteInterval) return;
  last_request_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  last_connection_.store(connection, std::memory_order_relaxed);
}

ScanThrottle::Scan::Scan(ScanThrottle& throttle, Clock::time_point now, ConnectionId connection)
    : scan_throttle_(throttle), connection_(connection), start_(now), working_since_(now) {
  ++scan_throttle_.scans_;
}

ScanThrottle::Scan::~Scan() { --scan_throttle_.scans_; }

void ScanThrottle::Scan::note_request(Clock::time_point now) {
  if (scan_throttle_.scans_ > 1) scan_throttle_.note_request(now, connection_);
}

Clock::duration ScanThrottle::Scan::rest(Clock::time_point now) {
  const bool has_requests = now - at(scan_throttle_.last_request_.load(std::memory_order_relaxed)) < kRequestLasts &&
                            scan_throttle_.last_connection_.load(std::memory_order_relaxed) != connection_;
  if (!has_requests || now - start_ < kShortScan) {
    working_since_ = now;  // no short request waited for the work so far
    return {};
  }
  const Clock::duration worked = now - working_since_;
  if (worked < kWork) return {};
  const Clock::duration rest = std::min(kMaxRest, kRest * worked * scan_throttle_.scans_.load());
  working_since_ = now + rest;
  return rest;
}

}  // namespace rocktable
