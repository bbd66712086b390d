// What requests cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rocktable {

struct CostRow {
  std::string label;  // a shape, or a table
  std::uint64_t transactions = 0;
  double cost = 0;  // in the currency of the table
};

struct CostTable {
  std::string currency, date, source;  // of the prices
  double times = 1;                    // how often the recorded requests are assumed to occur
  std::vector<CostRow> rows;
  CostRow total;
};

}  // namespace rocktable
