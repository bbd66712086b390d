// Retries a failed operation on a thread of its own until it succeeds or a timeout passes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rocktable {

// Thread-safe, except prepare() and stop(): do not call these two concurrently.
class Recovery {
 public:
  struct Rules {
    std::chrono::milliseconds interval;  // between two attempts
    std::chrono::milliseconds timeout;   // no attempt begins after this
    std::function<void()> attempt;       // throws std::exception on failure
    // Called once after the timeout, with the message of the last attempt.
    std::function<void(const std::string& reason)> give_up;
  };

  explicit Recovery(Rules rules) : rules_(std::move(rules)) {}
  // Calls stop().
  ~Recovery() { stop(); }
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // Starts the thread. Call this before the operation that may fail, because starting a thread may fail too
  // (std::system_error).
  void prepare();

  // Begins to retry. `reason`: why the operation failed. The first attempt follows after one interval.
  void begin(std::string reason);

  // Returns the message of the last failure, or nullopt once the operation has succeeded. Stays set after the
  // timeout.
  std::optional<std::string> reason() const;

  // Waits for a running attempt to end. No attempt begins after that.
  void stop();

 private:
  void run();
  // Returns whether retrying is over.
  bool try_once(std::unique_lock<std::mutex>& lock);

  const Rules rules_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> reason_;
  bool pending_ = false;  // an attempt is due
  bool is_stopping_ = false;
  std::uint64_t failures_ = 0;  // counted by begin()
  std::chrono::steady_clock::time_point begun_;
  std::thread thread_;
};

}  // namespace rocktable
