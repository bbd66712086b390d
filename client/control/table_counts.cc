#include "client/control/table_counts.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "client/table_error.h"

namespace rocktable {

std::uint64_t TableCounts::total() const {
  std::uint64_t out = 0;
  for (const auto& [account, tables] : by_account) out += tables;
  return out;
}

TableCounts TableCounts::of_account(const std::string& account) const {
  const auto found = by_account.find(account);
  return found == by_account.end() ? TableCounts{} : TableCounts{{*found}};
}

std::string number_of_tables(std::uint64_t tables) { return counted(tables, "table", "tables"); }

std::string TableCounts::to_string() const {
  if (by_account.empty()) return "no tables";
  const std::string whose = by_account.size() == 1 ? "the account " + by_account.begin()->first
                                                   : with_commas(by_account.size()) + " accounts";
  return (total() == 1 ? "" : "all ") + number_of_tables(total()) + " of " + whose;
}

std::optional<TableCounts> request_table_counts(ControlClient& instance) {
  constexpr int kUnavailable = 503;
  try {
    TableCounts out;
    const auto answer = instance.request("GET", "contents");
    for (const auto& account : answer.at("accounts"))
      out.by_account.emplace(account.at("account").get<std::string>(), account.at("tables").get<std::uint64_t>());
    return out;
  } catch (const ControlError& error) {
    if (error.status() != kNotFound && error.status() != kUnavailable) throw;
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace rocktable
