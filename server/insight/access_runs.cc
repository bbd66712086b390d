#include "server/insight/access_runs.h"

#include <algorithm>

#include "server/insight/query_shape.h"

namespace rocktable {

void AccessRuns::Runs::add(const Access& access) {
  if (requests_ == 0 || access.partition != partition_) {
    finish();
    partition_ = access.partition;
  }
  ++requests_;
  if (rows_ < kMinRows) add_row(access);
}

void AccessRuns::Runs::add_row(const Access& access) {
  auto* const end = row_hashes_.begin() + rows_;
  if (std::find(row_hashes_.begin(), end, access.row) != end) return;
  *end = access.row;
  if (++rows_ < kMinRows) return;  // texts are copied once a run, and only if it is long
  partition_key_ = access.partition_key;
  example_ = example_of(access.method, access.target);
  client_ = access.client;
}

void AccessRuns::Runs::finish() {
  if (rows_ >= kMinRows) totals_.add({requests_, partition_key_, example_, client_});
  requests_ = rows_ = 0;
}

Evidence AccessRuns::Runs::with_current() const {
  Runs copy = *this;
  copy.finish();
  return copy.totals_.total();
}

void AccessRuns::interrupt() {
  reads_.finish();
  writes_.finish();
}

}  // namespace rocktable
