#include "server/insight/run_totals.h"

namespace rocktable {

void RunTotals::add(const Evidence& run) {
  const std::uint64_t count = total_.count + run.count;
  if (run.count > longest_) {
    longest_ = run.count;
    total_ = run;
  }
  total_.count = count;
}

}  // namespace rocktable
