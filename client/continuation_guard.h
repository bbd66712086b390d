// Where the pages of a list go on: a server that names the same place again would be followed for ever.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rocktable {

// Of one list, in memory of constant size.
class ContinuationGuard {
 public:
  explicit ContinuationGuard(std::uint64_t max_empty_pages = kMaxEmptyPages)
      : max_empty_pages_(max_empty_pages) {}

  // To be asked with the continuation token of each page, and how many rows the page has. What is wrong, without a subject;
  // empty: nothing. A token that comes again is found before its cycle has been followed three times.
  std::string fault(std::string_view token, std::size_t rows);

 private:
  // A filter that finds nothing makes the service answer an empty page every five seconds.
  static constexpr std::uint64_t kMaxEmptyPages = 100'000;

  const std::uint64_t max_empty_pages_;
  std::uint64_t empty_pages_ = 0;  // one after the other
  // Brent's algorithm: each token is compared with one kept before, which is replaced after 1, 2, 4, ... tokens.
  std::string kept_;
  std::uint64_t since_kept_ = 0, keep_for_ = 1;
};

}  // namespace rocktable
