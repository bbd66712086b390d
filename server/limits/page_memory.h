// The memory of a page of entities while it is rendered: it grows with the page, and a page that may not grow any more
// ends, with a continuation token.
#pragma once

#include <string>

#include "server/limits/memory_budget.h"

namespace rocktable {

class PageMemory {
 public:
  // What a query holds before it begins. Pages that stay below it never ask for more.
  static constexpr std::size_t kFirstBytes = 2 << 20;
  // The rendered bytes of one entity are fewer: it has at most 1 MiB, and JSON writes a byte as six at most.
  static constexpr std::size_t kMaxEntityBytes = 8 << 20;

  // `body` is what is rendered, `share` what is held for it. Both must outlive this. `expected`: a guess of the page's
  // size; a good one spares copying the page while it grows.
  PageMemory(std::string& body, MemoryBudget::Share& share, std::size_t expected = 0);

  // Called after each entity: whether the page ends with it. It does once it has kMaxPageBytes, and where the budget is
  // spent. Otherwise there is memory for the next entity.
  bool is_full() { return body_.size() >= asks_at_ && !grow(); }

  // The page is complete: where it is much smaller than expected, it moves to a place of its size. Memory of the heap that
  // it did not fill is not charged, and yet there.
  void finish();

 private:
  bool grow();
  void reserve_all();

  std::string& body_;
  MemoryBudget::Share& share_;
  std::size_t asks_at_ = kFreeBytes;  // the size of `body_` from which on it has to grow
};

}  // namespace rocktable
