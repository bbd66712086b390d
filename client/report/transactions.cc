#include "client/report/transactions.h"

#include <algorithm>

namespace rocktable {

std::uint64_t transactions_of(const ShapeStatistics& shape) {
  return shape.requests - std::min(shape.unbilled, shape.requests);
}

std::uint64_t transactions_of(const InsightReport& report) {
  std::uint64_t out = 0;
  for (const ShapeStatistics& shape : report.shapes) out += transactions_of(shape);
  return out;
}

}  // namespace rocktable
