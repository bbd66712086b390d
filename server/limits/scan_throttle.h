// Throttles scans in favour of short requests: while short requests arrive, a scan sleeps after each bit of
// work. Thread priority is no substitute: a running thread keeps its core for a time slice of milliseconds,
// and a scan of low priority would starve beside a build or the tests themselves.
#pragma once

#include <atomic>
#include <chrono>

namespace rocktable {

// Thread-safe. Times are parameters, so that tests need not wait.
class ScanThrottle {
 public:
  using Clock = std::chrono::steady_clock;

  // Identifies the connection of a request; only compared.
  using ConnectionId = const void*;

  // Call when a short request is processed. Cheap: writes the shared time at most once a millisecond.
  void note_request(Clock::time_point now, ConnectionId connection);

  // One running scan.
  class Scan {
   public:
    Scan(ScanThrottle& throttle, Clock::time_point now, ConnectionId connection);
    ~Scan();
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    // Call if this scan is a short request itself. Throttles the other scans, if any.
    void note_request(Clock::time_point now);

    // Call every few entities. Returns how long to sleep now. Zero if other connections sent no short request in the
    // last milliseconds, or if the scan has just begun or hardly worked since its last rest. The rest grows
    // with the number of scans: together they use as much as one.
    Clock::duration rest(Clock::time_point now);

   private:
    ScanThrottle& scan_throttle_;
    ConnectionId connection_;
    Clock::time_point start_;
    Clock::time_point working_since_;
  };

 private:
  // Two requests may set these at the same time, and a scan then take the connection of the other one: it
  // looks again after a bit of work.
  std::atomic<Clock::rep> last_request_ = 0;
  std::atomic<ConnectionId> last_connection_ = nullptr;
  std::atomic<int> scans_ = 0;
};

}  // namespace rocktable
