#include "client/continuation_guard.h"

namespace rocktable {

std::string ContinuationGuard::fault(std::string_view token, std::size_t rows) {
  if (since_saved_ > 0 && token == saved_)
    return "the server returned the same continuation token again, so the list would never end";
  empty_pages_ = rows == 0 ? empty_pages_ + 1 : 0;
  if (empty_pages_ > max_empty_pages_)
    return "the server returned " + std::to_string(empty_pages_) + " empty pages in a row";
  if (since_saved_ == 0 || since_saved_ == save_interval_) {
    if (since_saved_ > 0) save_interval_ *= 2;
    saved_ = token;
    since_saved_ = 0;
  }
  ++since_saved_;
  return {};
}

}  // namespace rocktable
