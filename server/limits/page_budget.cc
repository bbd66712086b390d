#include "server/limits/page_budget.h"

#include <algorithm>
#include <utility>

#include "storage/store.h"

namespace rocktable {
namespace {

constexpr std::size_t kStep = 1 << 20;
constexpr std::size_t kDoublesUpTo = PageBudget::kFirstBytes / 2;
constexpr std::size_t kSpare = 64 << 10;  // grow when less than this is left: most entities are smaller

}  // namespace

PageBudget::PageBudget(std::string& body, MemoryBudget::Share& share, std::size_t expected)
    : body_(body), share_(share) {
  const std::size_t room = expected + expected / 8 + 2 * kSpare;
  if (room > kFirstBytes) {
    reserve_all();
  } else {
    body_.reserve(expected == 0 ? 0 : room);
  }
}

// Reserves address space for the largest page. The kernel backs it with memory only when it is written to.
// Growth by doubling would copy a large page repeatedly, and hold two copies meanwhile.
void PageBudget::reserve_all() {
  std::string larger;
  larger.reserve(kMaxPageBytes + kMaxEntityBytes);
  larger.append(body_);
  body_ = std::move(larger);
}

void PageBudget::finish() {
  const bool is_mapped = body_.capacity() >= kMaxPageBytes;  // unwritten pages use no memory
  if (is_mapped && body_.size() >= kFirstBytes) return;
  if (body_.capacity() - body_.size() > std::max(body_.size(), 2 * kSpare)) body_.shrink_to_fit();
}

bool PageBudget::grow() {
  const std::size_t size = body_.size();
  if (size >= kMaxPageBytes) return false;
  if (size + kSpare > share_.bytes()) {
    const std::size_t wanted = share_.is_held() ? std::max(share_.bytes(), size) + kStep : kFirstBytes;
    if (!share_.grow(wanted)) return false;
  }
  if (size >= kDoublesUpTo && size + kSpare > body_.capacity()) reserve_all();
  const std::size_t within_capacity = std::max(body_.capacity() - std::min(body_.capacity(), kSpare), kDoublesUpTo);
  grow_at_ = std::min({share_.bytes() - kSpare, within_capacity, kMaxPageBytes});
  return true;
}

}  // namespace rocktable
