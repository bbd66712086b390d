#include "client/control/contents_summary.h"

#include <nlohmann/json.hpp>

#include "client/terminal/progress.h"

namespace rocktable {

std::uint64_t ContentsSummary::tables() const {
  std::uint64_t out = 0;
  for (const auto& [account, tables] : tables_of) out += tables;
  return out;
}

ContentsSummary ContentsSummary::of_account(const std::string& account) const {
  const auto found = tables_of.find(account);
  return found == tables_of.end() ? ContentsSummary{} : ContentsSummary{{*found}};
}

std::string number_of_tables(std::uint64_t tables) {
  return with_commas(tables) + (tables == 1 ? " table" : " tables");
}

std::string ContentsSummary::to_string() const {
  if (tables_of.empty()) return "no tables";
  const std::string whose = tables_of.size() == 1 ? "the account " + tables_of.begin()->first
                                                  : with_commas(tables_of.size()) + " accounts";
  return (tables() == 1 ? "" : "all ") + number_of_tables(tables()) + " of " + whose;
}

std::optional<ContentsSummary> contents_of(ControlClient& instance) {
  constexpr int kNotKnown = 404, kUnavailable = 503;
  try {
    ContentsSummary out;
    const auto answer = instance.ask("GET", "contents");
    for (const auto& account : answer.at("accounts"))
      out.tables_of.emplace(account.at("account").get<std::string>(),
                            account.at("tables").get<std::uint64_t>());
    return out;
  } catch (const ControlError& error) {
    if (error.status() != kNotKnown && error.status() != kUnavailable) throw;
    return std::nullopt;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace rocktable
