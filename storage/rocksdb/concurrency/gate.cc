#include "storage/rocksdb/concurrency/gate.h"

#include <algorithm>
#include <thread>

#include "odata/error.h"

namespace rocktable {
namespace {

std::size_t number_of_thread() {
  static std::atomic<std::size_t> next = 0;
  thread_local const std::size_t kNumber = next++;
  return kNumber;
}

}  // namespace

// Dekker: enter() and Closed both store, then load, sequentially consistent. So at least one of them sees the
// other.
Gate::Slot& Gate::enter() {
  Slot& slot = slots_[number_of_thread() % kSlots];
  slot.inside.fetch_add(1, std::memory_order_seq_cst);
  while (closed_.load(std::memory_order_seq_cst)) {
    slot.inside.fetch_sub(1, std::memory_order_release);
    await_opening();
    slot.inside.fetch_add(1, std::memory_order_seq_cst);
  }
  return slot;
}

void Gate::await_opening() {
  std::unique_lock lock(mutex_);
  const bool changed = changed_.wait_for(lock, patience_, [this] { return !closed_ || refuses_; });
  if (!changed || refuses_) throw ServiceException(ErrorCode::ServerBusy);
}

bool Gate::is_empty() const {
  return std::all_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.inside.load(std::memory_order_seq_cst) == 0; });
}

void Gate::open() {
  {
    const std::lock_guard lock(mutex_);
    is_closing_ = false;
    refuses_ = false;
    closed_ = false;
  }
  changed_.notify_all();
}

Gate::Closed::Closed(Gate& gate, std::chrono::milliseconds patience) : gate_(gate), alone_(gate.closing_mutex_) {
  constexpr std::chrono::microseconds kPollInterval{50};
  constexpr std::chrono::milliseconds kGracePeriod{250};  // enough for all calls except long scans and clones
  const auto start = std::chrono::steady_clock::now();
  if (gate_.closed_.exchange(true, std::memory_order_seq_cst)) throw ServiceException(ErrorCode::ServerBusy);
  while (!gate_.is_empty()) {
    const auto waited = std::chrono::steady_clock::now() - start;
    gate_.is_closing_ = waited >= std::min<std::chrono::nanoseconds>(kGracePeriod, patience / 2);
    if (waited >= patience) {
      gate_.open();
      throw ServiceException(ErrorCode::ServerBusy);
    }
    std::this_thread::sleep_for(kPollInterval);
  }
}

Gate::Closed::~Closed() {
  if (!stays_closed_) gate_.open();
}

void Gate::Closed::leave_closed() {
  stays_closed_ = true;
  {
    const std::lock_guard lock(gate_.mutex_);
    gate_.is_closing_ = false;
    gate_.refuses_ = true;
  }
  gate_.changed_.notify_all();
}

}  // namespace rocktable
