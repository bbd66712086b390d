#include "server/faults/fault_plan.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "server/behaviour/seeded_random.h"

namespace rocktable {

FaultPlan::Moment FaultPlan::moment_of(const FaultRule& rule) {
  if (rule.then.at == FaultEffect::At::Handshake) return Moment::Handshake;
  return rule.then.at == FaultEffect::At::Arrival ? Moment::Arrival : Moment::Later;
}

FaultPlan::Counts& FaultPlan::counts_of(Entry& entry, std::string_view account) {
  auto& all = entry.by_account;
  if (const auto known = all.find(account); known != all.end()) return known->second;
  return all[std::string(all.size() < kMaxAccounts ? account : "*")];
}

std::optional<FaultHit> FaultPlan::decide_on_handshake(const RequestFacts& request, DateTime now) {
  return is_active_ ? choose(request, Moment::Handshake, now) : std::nullopt;
}

std::optional<FaultHit> FaultPlan::decide_on_arrival(const RequestFacts& request, DateTime now) {
  return has_arrivals_ ? choose(request, Moment::Arrival, now) : std::nullopt;
}

std::optional<FaultHit> FaultPlan::decide(const RequestFacts& request, DateTime now) {
  return is_active_ ? choose(request, Moment::Later, now) : std::nullopt;
}

// Outside of its times a rule meets no request, and counts none.
std::optional<FaultHit> FaultPlan::choose(const RequestFacts& request, Moment moment, DateTime now) {
  const std::lock_guard lock(mutex_);
  for (Entry& entry : entries_) {
    const FaultRule& rule = entry.rule;
    if (moment_of(rule) != moment || !entry.is_on(now) || !rule.applies_to(request, now)) continue;
    // The name in a handshake is any text: it could fill the counts.
    Counts& counts = counts_of(entry, moment == Moment::Handshake ? rule.match.account : request.account);
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

// Call it after each change.
void FaultPlan::update() {
  is_active_ = !entries_.empty();
  has_arrivals_ = std::any_of(entries_.begin(), entries_.end(),
                              [](const Entry& entry) { return moment_of(entry.rule) == Moment::Arrival; });
}

void FaultPlan::check_room(std::size_t more) const {
  if (entries_.size() + more > kMaxEntries)
    throw std::invalid_argument("there must be at most " + std::to_string(kMaxEntries) + " fault rules");
}

std::optional<std::string> FaultPlan::add(std::vector<FaultRule>& rules, DateTime now) {
  const std::lock_guard lock(mutex_);
  const auto is_taken = [&](const std::string& name) {
    const auto same = [&](const Entry& entry) { return entry.rule.name == name; };
    return std::any_of(entries_.begin(), entries_.end(), same);
  };
  check_room(rules.size());
  for (const FaultRule& rule : rules)
    if (is_taken(rule.name)) return rule.name;
  for (FaultRule& rule : rules) {
    while (rule.name.empty()) {
      std::string name = "fault-" + std::to_string(++names_);
      if (!is_taken(name)) rule.name = std::move(name);
    }
    entries_.push_back({rule, now, {}});
  }
  update();
  return std::nullopt;
}

void FaultPlan::put(FaultRule rule, DateTime now) {
  const std::lock_guard lock(mutex_);
  const auto same =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.rule.name == rule.name; });
  if (same != entries_.end()) {
    *same = {std::move(rule), now, {}};
  } else {
    check_room(1);
    entries_.push_back({std::move(rule), now, {}});
  }
  update();
}

nlohmann::json FaultPlan::to_json(const Entry& entry, const Counts& counts, DateTime now) {
  nlohmann::json out = rocktable::to_json(entry.rule);
  if (!entry.rule.when.schedule.is_always_on()) out["on"] = entry.is_on(now);
  out["matched"] = counts.matched;
  out["hits"] = counts.hits;
  return out;
}

nlohmann::json FaultPlan::to_json(DateTime now, const std::optional<std::string>& account) const {
  const std::lock_guard lock(mutex_);
  nlohmann::json faults = nlohmann::json::array();
  for (const Entry& entry : entries_) {
    if (!account) {
      faults.push_back(to_json(entry, entry.total, now));
    } else if (entry.rule.match.account.empty() || entry.rule.match.account == *account) {
      const auto own = entry.by_account.find(*account);
      faults.push_back(to_json(entry, own == entry.by_account.end() ? Counts() : own->second, now));
    }
  }
  return {{"faults", faults}};
}

std::optional<nlohmann::json> FaultPlan::find(std::string_view name, DateTime now) const {
  const std::lock_guard lock(mutex_);
  for (const Entry& entry : entries_)
    if (entry.rule.name == name) return to_json(entry, entry.total, now);
  return std::nullopt;
}

std::vector<std::string> FaultPlan::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> out;
  out.reserve(entries_.size());
  for (const Entry& entry : entries_) out.push_back(entry.rule.name);
  return out;
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
  update();
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
