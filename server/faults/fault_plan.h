// The fault rules in force. Decides for each request whether a rule hits it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/mutex.h"
#include "server/faults/fault_rule.h"

namespace rocktable {

struct FaultHit {
  std::string rule;  // its name
  FaultEffect effect;
  std::chrono::microseconds delay{};    // drawn from effect.delay
  std::optional<std::size_t> position;  // in the change set, if the rule names one
};

// Thread-safe. Rules are tried in their order; the first that matches and whose `when` allows it hits the request. Each
// account is counted by itself: the requests of one account do not change what another one meets. So the same requests
// of an account, in the same order, meet the same faults. Time is a parameter: schedules follow the clock that tests
// turn.
class FaultPlan {
 public:
  // Returns whether there is any rule.
  bool is_active() const { return is_active_; }
  // Whether there is one for the arrival of requests.
  bool has_arrivals() const { return has_arrivals_; }

  // By the rules for handshakes of TLS, of which only the account may be known.
  std::optional<FaultHit> decide_on_handshake(const RequestFacts& request, DateTime now);
  // By the rules for the arrival of requests, whose facts are account, method, client-request-id and signed date.
  std::optional<FaultHit> decide_on_arrival(const RequestFacts& request, DateTime now);
  // By the others.
  std::optional<FaultHit> decide(const RequestFacts& request, DateTime now);

  // Adds the rules behind the others, and gives a name to those without one. If a name is taken, adds none and returns
  // it. Throws std::invalid_argument if there are too many.
  std::optional<std::string> add(std::vector<FaultRule>& rules, DateTime now);
  // Puts the rule in the place of that with its name, and counts from the beginning. If there is none, adds it. Throws
  // as add().
  void put(FaultRule rule, DateTime now);

  // {"faults": [{"name", "match", "when", "then", "matched", "hits"}]}. A rule with a schedule has `on`: whether it is
  // on now. With an account: those that can hit its requests, and the numbers of its requests.
  nlohmann::json to_json(DateTime now, const std::optional<std::string>& account = std::nullopt) const;
  // One of them; nullopt: there is none of this name.
  std::optional<nlohmann::json> find(std::string_view name, DateTime now) const;
  std::vector<std::string> names() const;

  // Returns whether there was a rule of this name.
  bool remove(std::string_view name);
  // Return how many there were.
  std::size_t remove_all();
  // Those that name this account; nullopt: any account. The other rules count it from the beginning again.
  std::size_t remove_of_account(std::optional<std::string_view> account);

  // The names of rules that have hit no request since the start, also of removed ones.
  std::vector<std::string> unused() const;

 private:
  enum class Moment { Handshake, Arrival, Later };
  struct Counts {
    std::uint64_t matched = 0, hits = 0;
  };
  struct Entry {
    FaultRule rule;
    DateTime added;
    std::map<std::string, Counts, std::less<>> by_account;
    Counts total = {};

    bool is_on(DateTime now) const { return rule.when.schedule.is_on(now.ticks - added.ticks); }
  };

  static constexpr std::size_t kMaxAccounts = 10'000;  // further ones are counted together
  static constexpr std::size_t kMaxEntries = 10'000;
  static constexpr std::size_t kMaxUnused = 1000;

  static Moment moment_of(const FaultRule& rule);
  static Counts& counts_of(Entry& entry, std::string_view account);
  static nlohmann::json to_json(const Entry& entry, const Counts& counts, DateTime now);
  std::optional<FaultHit> choose(const RequestFacts& request, Moment moment, DateTime now);
  void check_room(std::size_t more) const;
  void update();
  template <class Predicate>
  std::size_t remove_if(const Predicate& predicate);

  mutable Mutex mutex_;
  std::vector<Entry> entries_;
  std::uint64_t names_ = 0;  // made for rules without one
  std::vector<std::string> removed_unused_;
  std::atomic<bool> is_active_ = false, has_arrivals_ = false;
};

}  // namespace rocktable
