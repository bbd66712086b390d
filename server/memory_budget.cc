#include "server/memory_budget.h"

#include <utility>

namespace rocktable {

bool MemoryBudget::Share::take(std::size_t bytes) {
  charge(bytes);
  const std::size_t held = budget_.held_;
  if (held <= budget_.limit_ || held == bytes) return true;
  give_back();
  return false;
}

void MemoryBudget::Share::charge(std::size_t bytes) {
  give_back();
  bytes_ = bytes;
  budget_.held_ += bytes;
}

void MemoryBudget::Share::give_back() {
  if (bytes_ > 0) budget_.held_ -= std::exchange(bytes_, 0);
}

}  // namespace rocktable
