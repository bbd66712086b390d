// StoppableThread: a thread of its own that its owner asks to end.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace rocktable {

// Tells the work of a thread that it is to end. Thread-safe.
//
// std::stop_token does the same. But a wait for one ends with a semaphore of the standard library, and where GCC makes
// these without a futex, as for Windows, a wake-up can be lost: of some hundred threads that were stopped, one hung.
class StopSignal {
 public:
  void request() {
    {
      const std::lock_guard lock(mutex_);
      is_requested_ = true;
    }
    requested_.notify_all();
  }

  bool is_requested() const {
    const std::lock_guard lock(mutex_);
    return is_requested_;
  }

  // Waits for `time`, or until a stop is requested. Returns whether it is.
  bool wait_for(std::chrono::nanoseconds time) {
    std::unique_lock lock(mutex_);
    return requested_.wait_for(lock, time, [this] { return is_requested_; });
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable requested_;
  bool is_requested_ = false;
};

// Its destructor, and an assignment, request the stop of what runs and wait for its end. Not thread-safe.
class StoppableThread {
 public:
  StoppableThread() = default;
  // Throws std::system_error if no thread can be started. `work` must not throw.
  explicit StoppableThread(std::function<void(StopSignal&)> work)
      : stop_(std::make_shared<StopSignal>()), thread_([stop = stop_, work = std::move(work)] { work(*stop); }) {}
  StoppableThread& operator=(StoppableThread&& other) noexcept {
    stop();
    stop_ = std::move(other.stop_);
    thread_ = std::move(other.thread_);
    return *this;
  }
  StoppableThread(const StoppableThread&) = delete;
  StoppableThread& operator=(const StoppableThread&) = delete;
  ~StoppableThread() { stop(); }

  // Requests a stop, and waits until the thread has ended.
  void stop() {
    if (!thread_.joinable()) return;
    stop_->request();
    thread_.join();
  }

 private:
  std::shared_ptr<StopSignal> stop_;
  std::thread thread_;
};

}  // namespace rocktable
