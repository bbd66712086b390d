// The memory of a page of entities during rendering. It grows with the page. If it cannot grow further, the
// page ends with a continuation token.
#pragma once

#include <string>

#include "server/limits/memory_budget.h"

namespace rocktable {

class PageBudget {
 public:
  // Memory that a query holds from its start. Smaller pages never need more.
  static constexpr std::size_t kFirstBytes = 2 << 20;
  // Upper bound of one rendered entity: an entity has at most 1 MiB, and JSON writes a byte as at most six.
  static constexpr std::size_t kMaxEntityBytes = 8 << 20;

  //   body      the rendered page
  //   share     the memory held for it
  //   expected  estimated size of the page in bytes; a good estimate avoids copies while the page grows
  //
  // `body` and `share` must outlive this object.
  PageBudget(std::string& body, MemoryBudget::Share& share, std::size_t expected = 0);

  // Call after each entity. Returns true if the page must end: it has kMaxPageBytes, or the budget is spent.
  // Returns false if there is memory for the next entity.
  bool is_full() { return body_.size() >= grow_at_ && !grow(); }

  // Call when the page is complete. Shrinks `body` if the page is much smaller than expected: unused capacity
  // on the heap takes memory that no share accounts for.
  void finish();

 private:
  bool grow();
  void reserve_all();

  std::string& body_;
  MemoryBudget::Share& share_;
  std::size_t grow_at_ = kFreeBytes;  // the size of `body_` from which it must grow
};

}  // namespace rocktable
