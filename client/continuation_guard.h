// Detects lists without an end: a server that repeats a continuation token would be queried forever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rocktable {

// Checks one list. Uses constant memory.
class ContinuationGuard {
 public:
  explicit ContinuationGuard(std::uint64_t max_empty_pages = kMaxEmptyPages) : max_empty_pages_(max_empty_pages) {}

  // Call with the continuation token and the number of rows of each page. Returns what is wrong, as a
  // complete sentence; empty if nothing is. A repeated token is detected before its cycle has been read three
  // times.
  std::string fault(std::string_view token, std::size_t rows);

 private:
  // The service returns an empty page every five seconds for a filter that matches nothing.
  static constexpr std::uint64_t kMaxEmptyPages = 100'000;

  const std::uint64_t max_empty_pages_;
  std::uint64_t empty_pages_ = 0;  // consecutive
  // Brent's algorithm: each token is compared with one saved token, which is replaced after 1, 2, 4, ...
  // tokens.
  std::string saved_;
  std::uint64_t since_saved_ = 0, save_interval_ = 1;
};

}  // namespace rocktable
