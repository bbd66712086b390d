#include "storage/rocksdb/concurrency/recovery.h"

#include <exception>
#include <utility>

namespace rocktable {

void Recovery::prepare() {
  if (thread_.joinable()) return;
  is_stopping_ = false;
  thread_ = std::thread([this] { run(); });
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
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Recovery::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return pending_ || is_stopping_; });
    if (changed_.wait_for(lock, rules_.interval, [this] { return is_stopping_; })) return;
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
