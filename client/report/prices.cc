#include "client/report/prices.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "base/input_file.h"
#include "base/text.h"
#include "client/report/insight_report.h"
#include "client/report/transactions.h"
#include "odata/files/json_reader.h"

namespace rocktable {
namespace {

constexpr double kMaxPrice = 1e6;
constexpr double kBytesOfGigabyte = 1 << 30;
constexpr double kTransactionsOfPrice = 10'000;

bool is_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  return text.size() == kForm.size() && std::equal(text.begin(), text.end(), kForm.begin(), [](char c, char form) {
           return form == 'd' ? c >= '0' && c <= '9' : c == form;
         });
}

std::string required_text(const JsonReader& root, std::string_view name) {
  const JsonReader value = root.member(name);
  std::string out = value.text();
  if (out.empty()) value.refuse("must not be empty");
  return out;
}

// `orders QueryEntities PartitionKey eq ?`
std::string label_of(const ShapeStatistics& shape) {
  std::string out;
  for (const std::string* part : {&shape.table, &shape.operation, &shape.fingerprint}) {
    if (part->empty()) continue;
    if (!out.empty()) out += ' ';
    out += *part;
  }
  return out;
}

CostTable table_with(const Prices& prices) {
  CostTable out;
  out.currency = prices.currency;
  out.date = prices.date;
  out.source = prices.source;
  return out;
}

// The rows of a table, and of its shapes by label.
struct TableCosts {
  CostRow all;
  std::map<std::string, CostRow> shapes;
};

void add(CostRow& sum, std::uint64_t transactions, double cost) {
  sum.transactions += transactions;
  sum.cost += cost;
}

// The order of equal ones is that of their labels.
bool is_more_expensive(const CostRow& a, const CostRow& b) {
  return std::tie(a.cost, a.transactions) > std::tie(b.cost, b.transactions);
}

double price_of(const Prices& prices, const ShapeStatistics& shape) {
  const auto kind = kind_of_operation(shape.operation);
  const auto price = kind ? prices.operations_per_10000[static_cast<std::size_t>(*kind)] : std::nullopt;
  return price.value_or(prices.transactions_per_10000);
}

}  // namespace

Prices parse_prices(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  const JsonReader root = document.root();
  root.allow_only({"$schema", "version", "date", "source", "region", "currency", "transactionsPer10000",
                   "operationsPer10000", "storagePerGigabyteMonth"});
  root.member("version").integer(1, 1);
  Prices out;
  out.date = required_text(root, "date");
  if (!is_date(out.date)) root.member("date").refuse("must be a date such as 2026-11-01");
  out.source = required_text(root, "source");
  out.region = root.text_or("region", "");
  out.currency = required_text(root, "currency");
  out.transactions_per_10000 = root.member("transactionsPer10000").number(0, kMaxPrice);
  if (root.has("operationsPer10000")) {
    const JsonReader kinds = root.member("operationsPer10000");
    kinds.allow_only({"write", "batchWrite", "read", "scan", "list", "delete"});
    for (std::size_t i = 0; i < kOperationKindNames.size(); ++i)
      if (kinds.has(kOperationKindNames[i]))
        out.operations_per_10000[i] = kinds.member(kOperationKindNames[i]).number(0, kMaxPrice);
  }
  if (root.has("storagePerGigabyteMonth"))
    out.storage_per_gigabyte_month = root.member("storagePerGigabyteMonth").number(0, kMaxPrice);
  return out;
}

Prices read_prices(const std::string& file) { return parse_prices(read_file(file), file); }

CostTable cost_of(const InsightReport& report, const Prices& prices, std::uint64_t times) {
  CostTable out = table_with(prices);
  out.times = times;
  out.total.label = "total";
  std::map<std::string, TableCosts> tables;
  for (const ShapeStatistics& shape : report.shapes) {
    const std::uint64_t transactions = transactions_of(shape);
    const double cost =
        static_cast<double>(transactions) * static_cast<double>(times) / kTransactionsOfPrice * price_of(prices, shape);
    TableCosts& table = tables[shape.table];
    add(table.all, transactions, cost);
    add(table.shapes[label_of(shape)], transactions, cost);
    add(out.total, transactions, cost);
  }
  std::vector<std::pair<CostRow, std::vector<CostRow>>> sorted;  // each table, and its shapes
  for (auto& [name, table] : tables) {
    table.all.label = name.empty() ? "(no table)" : name;
    auto& rows = sorted.emplace_back(std::move(table.all), std::vector<CostRow>()).second;
    for (auto& [label, row] : table.shapes) rows.push_back({label, row.transactions, row.cost});
    std::ranges::stable_sort(rows, is_more_expensive);
  }
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return is_more_expensive(a.first, b.first); });
  for (auto& [table, shapes] : sorted) {
    out.rows.push_back(std::move(table));
    std::ranges::move(shapes, std::back_inserter(out.rows));
  }
  return out;
}

CostTable storage_cost_of(const InsightReport& report, const Prices& prices) {
  CostTable out = table_with(prices);
  out.total.label = "storage of all for a month";
  for (const StoredTable& table : report.tables) {
    const auto cost = storage_cost(prices, table.bytes);
    if (!cost) continue;
    const std::string part =
        table.is_complete ? "" : "the first " + counted(table.entities, "entity", "entities") + " of ";
    out.rows.push_back({"storage of " + part + table.table + " for a month", 0, *cost});
    out.total.cost += *cost;
  }
  return out;
}

std::optional<double> storage_cost(const Prices& prices, std::uint64_t bytes) {
  if (!prices.storage_per_gigabyte_month) return std::nullopt;
  return static_cast<double>(bytes) / kBytesOfGigabyte * *prices.storage_per_gigabyte_month;
}

}  // namespace rocktable
