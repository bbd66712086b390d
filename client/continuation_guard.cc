#include "client/continuation_guard.h"

namespace rocktable {

std::string ContinuationGuard::fault(std::string_view token, std::size_t rows) {
  if (since_kept_ > 0 && token == kept_)
    return "the server gives a continuation token that it gave before, and so the list has no end";
  empty_pages_ = rows == 0 ? empty_pages_ + 1 : 0;
  if (empty_pages_ > max_empty_pages_)
    return "the server has answered " + std::to_string(empty_pages_) +
           " pages without a row, one after the other";
  if (since_kept_ == 0 || since_kept_ == keep_for_) {
    if (since_kept_ > 0) keep_for_ *= 2;
    kept_ = token;
    since_kept_ = 0;
  }
  ++since_kept_;
  return {};
}

}  // namespace rocktable
