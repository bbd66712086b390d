#include "server/faults/fault_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "server/behaviour/seeded_random.h"

namespace rocktable {

FaultPlan::Counts& FaultPlan::counts_of(Entry& entry, std::string_view account) {
  auto& all = entry.by_account;
  if (const auto known = all.find(account); known != all.end()) return known->second;
  return all[std::string(all.size() < kMaxAccounts ? account : "*")];
}

std::optional<FaultHit> FaultPlan::decide(const RequestFacts& request) {
  if (!is_active_) return std::nullopt;
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    const FaultRule& rule = entry.rule;
    if (!rule.match.matches(request)) continue;
    Counts& counts = counts_of(entry, request.account);
    const std::uint64_t number = counts.matched++;
    ++entry.total.matched;
    if (number < rule.when.skip) continue;
    if (rule.when.count && counts.hits >= *rule.when.count) continue;
    SeededRandom random(seeded_hash(request.account, rule.when.seed) + number);
    if (rule.when.probability < 1 && random.uniform() >= rule.when.probability) continue;
    ++counts.hits;
    ++entry.total.hits;
    return FaultHit{rule.name, rule.then, rule.then.delay.draw(random), rule.match.position};
  }
  return std::nullopt;
}

std::optional<std::string> FaultPlan::add(std::vector<FaultRule>& rules) {
  const std::lock_guard lock(mutex_);
  const auto is_taken = [&](const std::string& name) {
    const auto same = [&](const Entry& entry) { return entry.rule.name == name; };
    return std::any_of(entries_.begin(), entries_.end(), same);
  };
  if (entries_.size() + rules.size() > kMaxEntries)
    throw std::invalid_argument("there must be at most " + std::to_string(kMaxEntries) + " fault rules");
  for (const FaultRule& rule : rules)
    if (is_taken(rule.name)) return rule.name;
  for (FaultRule& rule : rules) {
    while (rule.name.empty()) {
      std::string name = "fault-" + std::to_string(++names_);
      if (!is_taken(name)) rule.name = std::move(name);
    }
    entries_.push_back({rule, {}});
  }
  is_active_ = !entries_.empty();
  return std::nullopt;
}

nlohmann::json FaultPlan::to_json(const Entry& entry, const Counts& counts) {
  nlohmann::json out = rocktable::to_json(entry.rule);
  out["matched"] = counts.matched;
  out["hits"] = counts.hits;
  return out;
}

nlohmann::json FaultPlan::to_json(const std::optional<std::string>& account) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json faults = nlohmann::json::array();
  for (const Entry& entry : entries_) {
    if (!account) {
      faults.push_back(to_json(entry, entry.total));
    } else if (entry.rule.match.account.empty() || entry.rule.match.account == *account) {
      const auto own = entry.by_account.find(*account);
      faults.push_back(to_json(entry, own == entry.by_account.end() ? Counts() : own->second));
    }
  }
  return {{"faults", faults}};
}

std::optional<nlohmann::json> FaultPlan::find(std::string_view name) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.rule.name == name) return to_json(entry, entry.total);
  return std::nullopt;
}

template <class Predicate>
std::size_t FaultPlan::remove_if(const Predicate& predicate) {
  const std::lock_guard lock(mutex_);
  const auto is_removed = [&](const Entry& entry) {
    if (!predicate(entry)) return false;
    if (entry.total.hits == 0 && removed_unused_.size() < kMaxUnused) removed_unused_.push_back(entry.rule.name);
    return true;
  };
  const std::size_t removed = std::erase_if(entries_, is_removed);
  is_active_ = !entries_.empty();
  return removed;
}

bool FaultPlan::remove(std::string_view name) {
  return remove_if([&](const Entry& entry) { return entry.rule.name == name; }) > 0;
}

std::size_t FaultPlan::remove_all() {
  return remove_if([](const Entry&) { return true; });
}

std::size_t FaultPlan::remove_of_account(std::optional<std::string_view> account) {
  {
    const std::lock_guard lock(mutex_);
    for (Entry& entry : entries_)
      std::erase_if(entry.by_account, [&](const auto& one) { return !account || one.first == *account; });
  }
  return remove_if([&](const Entry& entry) {
    return account ? entry.rule.match.account == *account : !entry.rule.match.account.empty();
  });
}

std::vector<std::string> FaultPlan::unused() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out = removed_unused_;
  for (const Entry& entry : entries_)
    if (entry.total.hits == 0) out.push_back(entry.rule.name);
  return out;
}

}  // namespace rocktable
