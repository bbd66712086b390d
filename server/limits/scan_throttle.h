// Scans make way for short requests: while those come in, a scan rests after each bit of work. A low priority would not
// do: a thread that has the core keeps it for a slice of milliseconds, whoever wakes up meanwhile; and whatever else the
// machine does, a build or the tests themselves, would starve it.
#pragma once

#include <atomic>
#include <chrono>

namespace rocktable {

// Thread-safe. Times are parameters, so that tests need not wait.
class ScanThrottle {
 public:
  using Clock = std::chrono::steady_clock;

  // A short request is being answered. Cheap: the shared time is written once a millisecond at most.
  void claim(Clock::time_point now);

  // One scan at work.
  class Scan {
   public:
    Scan(ScanThrottle& throttle, Clock::time_point now);
    ~Scan();
    Scan(const Scan&) = delete;
    Scan& operator=(const Scan&) = delete;

    // This scan is short: other scans, if there are any, make way for it.
    void claim(Clock::time_point now);

    // To be asked every few entities. How long to sleep now; zero where nobody claimed the way in the last
    // milliseconds, where the scan has only just begun, or has hardly worked since its last rest. The more
    // scans there are, the longer each rests: together they take as much as one.
    Clock::duration rest(Clock::time_point now);

   private:
    ScanThrottle& scan_throttle_;
    Clock::time_point start_;
    Clock::time_point working_since_;
  };

 private:
  std::atomic<Clock::rep> last_claim_ = 0;
  std::atomic<int> scans_ = 0;
};

}  // namespace rocktable
