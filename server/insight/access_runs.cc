#include "server/insight/access_runs.h"

#include <algorithm>

#include "server/events/masking.h"

namespace rocktable {

void AccessRuns::add(const Access& access) {
  if (requests_ == 0 || access.step != step_ || access.partition != partition_) {
    finish();
    step_ = access.step;
    partition_ = access.partition;
  }
  ++requests_;
  if (rows_ < kMinRows) add_row(access);
}

void AccessRuns::add_row(const Access& access) {
  auto* const end = row_hashes_.begin() + rows_;
  if (std::find(row_hashes_.begin(), end, access.row) != end) return;
  *end = access.row;
  if (++rows_ < kMinRows) return;  // texts are copied once a run, and only if it is long
  partition_key_ = access.partition_key;
  example_ = std::string(access.method).append(" ").append(without_signature(access.target.substr(0, 500)));
  client_ = access.client;
}

void AccessRuns::finish() {
  if (rows_ >= kMinRows) {
    Runs& runs = runs_of(step_);
    runs.total.count += requests_;
    if (requests_ > runs.longest) {
      runs.longest = requests_;
      runs.total.subject = partition_key_;
      runs.total.example = example_;
      runs.total.client = client_;
    }
  }
  requests_ = rows_ = 0;
}

Evidence AccessRuns::with_current(Step step) const {
  AccessRuns copy = *this;
  copy.finish();
  return copy.runs_of(step).total;
}

}  // namespace rocktable
