#include "storage/rocksdb/concurrency/recovery.h"

#include <exception>
#include <utility>

namespace rocktable {

void Recovery::prepare() {
  if (!thread_.joinable()) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Recovery::begin(std::string reason) {
  {
    const std::lock_guard lock(mutex_);
    reason_ = std::move(reason);
    pending_ = true;
    ++failures_;
    begun_ = std::chrono::steady_clock::now();
  }
  changed_.notify_all();
}

std::optional<std::string> Recovery::reason() const {
  const std::lock_guard lock(mutex_);
  return reason_;
}

void Recovery::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
}

void Recovery::run(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return pending_; })) {
    changed_.wait_for(lock, stop, rules_.interval, [] { return false; });
    if (stop.stop_requested()) return;
    if (try_once(lock)) pending_ = false;
  }
}

bool Recovery::try_once(std::unique_lock<std::mutex>& lock) {
  const std::uint64_t failure = failures_;
  std::optional<std::string> fault;
  lock.unlock();
  try {
    rules_.attempt();
  } catch (const std::exception& error) {
    fault = error.what();
  }
  lock.lock();
  if (failure != failures_) return false;  // begin() was called again after the attempt succeeded
  reason_ = fault;
  if (!fault) return true;
  if (std::chrono::steady_clock::now() - begun_ < rules_.timeout) return false;
  lock.unlock();
  if (rules_.give_up) rules_.give_up(*fault);
  lock.lock();
  return true;
}

}  // namespace rocktable
