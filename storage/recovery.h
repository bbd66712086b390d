// Retries a failed operation on a thread of its own until it succeeds or a timeout passes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace rocktable {

// Thread-safe but for prepare() and stop(), which one thread calls at a time.
class Recovery {
 public:
  struct Rules {
    std::chrono::milliseconds interval;  // between two attempts
    std::chrono::milliseconds timeout;   // no attempt begins after this
    std::function<void()> attempt;       // throws std::exception where it fails
    // Called once after the timeout, with the message of the last attempt.
    std::function<void(const std::string& reason)> give_up;
  };

  explicit Recovery(Rules rules) : rules_(std::move(rules)) {}
  // Calls stop().
  ~Recovery() { stop(); }
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // Starts the thread. To be called before the operation, because starting a thread may fail (std::system_error).
  void prepare();

  // Begins to retry. `reason`: why the operation failed. The first attempt follows one interval later.
  void begin(std::string reason);

  // Returns the message of the last failure, or nothing once the operation has succeeded. Stays set after the timeout.
  std::optional<std::string> reason() const;

  // Waits for a running attempt to end, and prevents further ones.
  void stop();

 private:
  void run(const std::stop_token& stop);
  // Returns whether retrying is over.
  bool try_once(std::unique_lock<std::mutex>& lock);

  const Rules rules_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> reason_;
  bool pending_ = false;        // an attempt is due
  std::uint64_t failures_ = 0;  // counted by begin()
  std::chrono::steady_clock::time_point begun_;
  std::jthread thread_;
};

}  // namespace rocktable
