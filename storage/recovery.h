// Something that failed and has to be done: it is tried again on a thread of its own until it succeeds or the time is up.
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

// Thread-safe.
class Recovery {
 public:
  struct Rules {
    std::chrono::milliseconds interval;  // between two attempts
    std::chrono::milliseconds timeout;   // no attempt begins after this
    std::function<void()> attempt;       // throws std::exception where it fails
    // Called once where the time is up, with what the last attempt said.
    std::function<void(const std::string& reason)> give_up;
  };

  explicit Recovery(Rules rules) : rules_(std::move(rules)) {}
  // As stop().
  ~Recovery() { stop(); }
  Recovery(const Recovery&) = delete;
  Recovery& operator=(const Recovery&) = delete;

  // Starts the thread: to be called before what may fail, for this may fail as well (std::system_error).
  void prepare();

  // It failed for this reason. The first attempt follows one interval later.
  void begin(std::string reason);

  // Why it failed last; nothing where nothing has to be done. Stays when the time is up.
  std::optional<std::string> reason() const;

  // Waits for an attempt that is at work; there is no other afterwards.
  void stop();

 private:
  void run(const std::stop_token& stop);
  // Whether the attempts are over.
  bool try_once(std::unique_lock<std::mutex>& lock);

  const Rules rules_;
  mutable std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<std::string> reason_;
  bool waits_ = false;          // for an attempt
  std::uint64_t failures_ = 0;  // counted by begin()
  std::chrono::steady_clock::time_point begun_;
  std::jthread thread_;
};

}  // namespace rocktable
