#include "client/report/prices.h"

#include <algorithm>
#include <map>
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

// Transactions of a table, and of its shapes by label.
struct TableTransactions {
  std::uint64_t all = 0;
  std::map<std::string, std::uint64_t> shapes;
};

// The highest count first; the order of equal ones is that of the names.
template <class Count>
std::vector<std::pair<std::string, std::uint64_t>> largest_first(const auto& counts, const Count& count) {
  std::vector<std::pair<std::string, std::uint64_t>> out;
  out.reserve(counts.size());
  for (const auto& [name, value] : counts) out.emplace_back(name, count(value));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace

Prices parse_prices(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  const JsonReader root = document.root();
  root.allow_only({"$schema", "version", "date", "source", "region", "currency", "transactionsPer10000",
                   "storagePerGigabyteMonth"});
  root.member("version").integer(1, 1);
  Prices out;
  out.date = required_text(root, "date");
  if (!is_date(out.date)) root.member("date").refuse("must be a date such as 2026-11-01");
  out.source = required_text(root, "source");
  out.region = root.text_or("region", "");
  out.currency = required_text(root, "currency");
  out.transactions_per_10000 = root.member("transactionsPer10000").number(0, kMaxPrice);
  if (root.has("storagePerGigabyteMonth"))
    out.storage_per_gigabyte_month = root.member("storagePerGigabyteMonth").number(0, kMaxPrice);
  return out;
}

Prices read_prices(const std::string& file) { return parse_prices(read_file(file), file); }

CostTable cost_of(const InsightReport& report, const Prices& prices, std::uint64_t times) {
  std::map<std::string, TableTransactions> tables;
  for (const ShapeStatistics& shape : report.shapes) {
    TableTransactions& table = tables[shape.table];
    table.all += transactions_of(shape);
    table.shapes[label_of(shape)] += transactions_of(shape);
  }
  CostTable out = table_with(prices);
  out.times = times;
  const auto row_of = [&](const std::string& label, std::uint64_t transactions) {
    const double all = static_cast<double>(transactions) * static_cast<double>(times);
    return CostRow{label, transactions, all / kTransactionsOfPrice * prices.transactions_per_10000};
  };
  for (const auto& [name, all] : largest_first(tables, [](const auto& table) { return table.all; })) {
    out.rows.push_back(row_of(name.empty() ? "(no table)" : name, all));
    for (const auto& [label, count] : largest_first(tables[name].shapes, [](auto one) { return one; }))
      out.rows.push_back(row_of(label, count));
  }
  out.total = row_of("total", transactions_of(report));
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
