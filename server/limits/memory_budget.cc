#include "server/limits/memory_budget.h"

#include <utility>

namespace rocktable {

bool MemoryBudget::Share::take(std::size_t bytes) {
  const std::lock_guard lock(budget_.mutex_);
  budget_.held_ -= std::exchange(bytes_, 0);
  const bool granted = budget_.queue_.empty() && budget_.has_room(bytes);
  if (granted) budget_.held_ += bytes_ = bytes;
  budget_.held_changed();
  budget_.refused_ = budget_.refused_ || !granted;
  return granted;
}

bool MemoryBudget::Share::grow(std::size_t bytes) {
  const std::lock_guard lock(budget_.mutex_);
  const std::size_t others = budget_.held_ - bytes_;
  if (others > 0 && (!budget_.queue_.empty() || others + bytes > budget_.limit_)) {
    budget_.refused_ = true;
    return false;
  }
  budget_.held_ = others + bytes;
  bytes_ = bytes;
  return true;
}

void MemoryBudget::Share::charge(std::size_t bytes) {
  if (bytes == bytes_) return;
  const std::lock_guard lock(budget_.mutex_);
  budget_.held_ += bytes - std::exchange(bytes_, bytes);
  budget_.held_changed();
}

void MemoryBudget::held_changed() {
  while (!queue_.empty() && has_room(queue_.front()->bytes_)) {
    Waiter& waiter = *queue_.front();
    queue_.pop_front();
    waiting_ = queue_.size();
    held_ += waiter.bytes_;
    waiter.state_ = Waiter::State::Granted;
    waiter.wake_();
  }
  if (held_ <= limit_ / 2) refused_ = false;
}

MemoryBudget::Waiter::Waiter(Share& share, std::size_t bytes, std::function<void()> wake)
    : share_(share), bytes_(bytes), wake_(std::move(wake)) {
  MemoryBudget& budget = share_.budget_;
  const std::lock_guard lock(budget.mutex_);
  if (budget.queue_.empty() && budget.has_room(bytes_)) {
    budget.held_ += bytes_;
    state_ = State::Granted;
    return;
  }
  const auto& queue = budget.queue_;
  const bool is_first = budget.order_ == Order::NewestFirst;
  place_ = budget.queue_.insert(is_first ? queue.begin() : queue.end(), this);
  budget.waiting_ = budget.queue_.size();
}

MemoryBudget::Waiter::~Waiter() {
  MemoryBudget& budget = share_.budget_;
  const std::lock_guard lock(budget.mutex_);
  if (state_ == State::Waiting) {
    budget.queue_.erase(place_);
    budget.waiting_ = budget.queue_.size();
  } else if (state_ == State::Granted) {
    budget.held_ -= bytes_;
  }
  budget.held_changed();
}

bool MemoryBudget::Waiter::take() {
  const std::lock_guard lock(share_.budget_.mutex_);
  if (state_ == State::Waiting) return false;
  if (state_ == State::Granted) share_.bytes_ = bytes_;
  state_ = State::Taken;
  return true;
}

}  // namespace rocktable
