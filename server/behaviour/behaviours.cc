#include "server/behaviour/behaviours.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rocktable {

Behaviours::Behaviours(Behaviour of_all) : of_all_(std::make_shared<Behaviour>(of_all)) { update(); }

std::shared_ptr<const Behaviour> Behaviours::of(std::string_view account) const {
  if (!is_active_) return nullptr;
  const std::lock_guard lock(mutex_);
  const auto own = own_.find(account);
  const auto& found = own == own_.end() ? of_all_ : own->second;
  return found->is_off() ? nullptr : found;
}

void Behaviours::set(const Behaviour& of_all) {
  const std::lock_guard lock(mutex_);
  of_all_ = std::make_shared<Behaviour>(of_all);
  latencies_ = 0;
  throttle_.clear();
  update();
}

void Behaviours::set(std::string_view account, const Behaviour& own) {
  const std::lock_guard lock(mutex_);
  if (own_.size() == kMaxAccounts && !own_.contains(account))
    throw std::invalid_argument("at most " + std::to_string(kMaxAccounts) + " accounts can have their own behaviour");
  own_[std::string(account)] = std::make_shared<Behaviour>(own);
  update();
}

void Behaviours::remove(std::optional<std::string_view> account) {
  forget_past(account);
  const std::lock_guard lock(mutex_);
  std::erase_if(own_, [&](const auto& own) { return !account || own.first == *account; });
  update();
}

void Behaviours::update() {
  is_active_ = !of_all_->is_off() ||
               std::any_of(own_.begin(), own_.end(), [](const auto& own) { return !own.second->is_off(); });
}

nlohmann::json Behaviours::to_json() const {
  const std::lock_guard lock(mutex_);
  nlohmann::json accounts = nlohmann::json::object();
  for (const auto& [account, own] : own_) accounts[account] = rocktable::to_json(*own);
  return {{"behaviour", rocktable::to_json(*of_all_)}, {"accounts", accounts}};
}

nlohmann::json Behaviours::to_json(std::string_view account) const {
  const std::lock_guard lock(mutex_);
  const auto own = own_.find(account);
  return {{"account", account}, {"behaviour", rocktable::to_json(own == own_.end() ? *of_all_ : *own->second)}};
}

std::chrono::microseconds Behaviours::draw_latency(const Behaviour& behaviour) {
  const std::lock_guard lock(mutex_);
  SeededRandom random(SeededRandom(static_cast<std::uint64_t>(behaviour.seed) + (latencies_++ << 20)).next());
  return behaviour.latency.draw(random);
}

void Behaviours::forget_past(std::optional<std::string_view> account) {
  deleted_tables_.forget(account);
  access_policies_.forget(account);
}

}  // namespace rocktable
