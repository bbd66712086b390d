// Adds up runs of requests that a detector has found.
#pragma once

#include <cstdint>

#include "odata/insight/evidence.h"

namespace rocktable {

class RunTotals {
 public:
  // A run that is long enough to be reported.
  void add(const Evidence& run);

  // `count` is of all runs; the rest is that of the longest one.
  const Evidence& total() const { return total_; }

 private:
  Evidence total_;
  std::uint64_t longest_ = 0;
};

}  // namespace rocktable
