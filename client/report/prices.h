// What requests and stored data cost. The program has no prices of its own: they come from a file that names their date
// and source.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/operation_kind.h"

namespace rocktable {

struct InsightReport;

struct Prices {
  std::string date;      // `2026-11-01`
  std::string source;    // address of the page
  std::string region;    // empty: not given
  std::string currency;  // `USD`
  double transactions_per_10000 = 0;
  // By kind (client/report/operation_kind.h); nullopt: transactions_per_10000.
  std::array<std::optional<double>, kOperationKindNames.size()> operations_per_10000;
  std::optional<double> storage_per_gigabyte_month;
};

// Reads {"version": 1, "date", "source", "region", "currency", "transactionsPer10000", "operationsPer10000": {"write",
// "batchWrite", "read", "scan", "list", "delete"}, "storagePerGigabyteMonth"}; `region`, `operationsPer10000` with each
// of its members, and `storagePerGigabyteMonth` may be missing. `file` is the name in errors. Throws FileError.
Prices parse_prices(std::string_view text, const std::string& file);

// Throws also std::runtime_error if the file cannot be read.
Prices read_prices(const std::string& file);

struct CostRow {
  std::string label;  // a shape, or a table
  std::uint64_t transactions = 0;
  double cost = 0;  // in the currency of the table
};

struct CostTable {
  std::string currency, date, source;  // of the prices
  std::uint64_t times = 1;             // how often the recorded requests are assumed to occur
  std::vector<CostRow> rows;
  CostRow total;
};

// The cost of the transactions (client/report/transactions.h) of `times` such runs. `times` is a number of runs in a
// month, or 1: this run. Rows: each table, the most expensive first, and below it its shapes, likewise. The total is
// that of the tables.
CostTable cost_of(const InsightReport& report, const Prices& prices, std::uint64_t times);

// The same for stored data: a row for each table, and their sum. No rows if there is no price of storage.
CostTable storage_cost_of(const InsightReport& report, const Prices& prices);

// The cost of one month of storage. A gigabyte is 2^30 bytes, as the service bills it. nullopt if there is no price.
std::optional<double> storage_cost(const Prices& prices, std::uint64_t bytes);

}  // namespace rocktable
