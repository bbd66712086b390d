// The behaviour of each account, and the state that it needs. It lives as long as the server, and is not stored.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/threads/mutex.h"
#include "server/behaviour/behaviour.h"
#include "server/behaviour/past_values.h"
#include "server/behaviour/throttle.h"

namespace rocktable {

// Thread-safe.
class Behaviours {
 public:
  explicit Behaviours(Behaviour of_all = {});

  // Returns whether the behaviour of any account is on.
  bool is_active() const { return is_active_; }

  // Returns the behaviour of an account: its own, or that of all accounts. Null: everything is off.
  std::shared_ptr<const Behaviour> of(std::string_view account) const;

  // Sets the behaviour of all accounts that have none of their own; starts with full buckets.
  void set(const Behaviour& of_all);
  // Throws std::invalid_argument if too many accounts have their own.
  void set(std::string_view account, const Behaviour& own);
  // From now on the account behaves like all others; nullopt: every account. Forgets its past.
  void remove(std::optional<std::string_view> account);

  // {"behaviour": {...}, "accounts": {"NAME": {...}}}
  nlohmann::json to_json() const;
  // {"account": "NAME", "behaviour": {...}}
  nlohmann::json to_json(std::string_view account) const;

  // Returns the time to wait before the next response.
  std::chrono::microseconds draw_latency(const Behaviour& behaviour);

  Throttle& throttle() { return throttle_; }
  PastValues& deleted_tables() { return deleted_tables_; }
  PastValues& access_policies() { return access_policies_; }

  // Call after all data were replaced.
  void forget_past() { forget_past(std::nullopt); }

 private:
  static constexpr std::size_t kMaxAccounts = 10'000;

  void update();
  void forget_past(std::optional<std::string_view> account);

  mutable Mutex mutex_;
  std::shared_ptr<const Behaviour> of_all_;
  std::map<std::string, std::shared_ptr<const Behaviour>, std::less<>> own_;
  std::uint64_t latencies_ = 0;  // number of draws
  std::atomic<bool> is_active_ = false;
  Throttle throttle_;
  PastValues deleted_tables_, access_policies_;
};

}  // namespace rocktable
