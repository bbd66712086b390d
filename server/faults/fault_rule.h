// A fault rule: which requests it applies to, which of these it hits, and what happens to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "server/faults/fault_effect.h"
#include "server/faults/fault_schedule.h"
#include "server/request/request_facts.h"

namespace rocktable {

// All conditions that are given must hold.
struct FaultMatch {
  std::string account;                  // empty: every account
  std::string table;                    // lower case; empty: every table
  std::vector<std::string> operations;  // empty: every operation
  std::vector<std::string> methods;     // of HTTP; empty: every method
  std::optional<std::string> partition_key, partition_key_prefix, row_key, client_request_id_prefix;
  std::optional<std::size_t> position;  // in a change set

  bool matches(const RequestFacts& request) const;

 private:
  bool matches_keys(const TouchedEntity& entity) const;
};

struct FaultWhen {
  std::uint64_t skip = 0;              // the first requests are not hit
  std::optional<std::uint64_t> count;  // then as many are; nullopt: all
  double probability = 1;
  std::uint64_t seed = 0;  // of the probability, and of delays
  FaultSchedule schedule;  // outside of its times the rule meets no request
};

struct FaultRule {
  std::string name;
  FaultMatch match;
  FaultWhen when;
  FaultEffect then;

  // Whether the request is one of those among which `when` chooses.
  bool applies_to(const RequestFacts& request, DateTime now) const;
};

// Reads a rule, or a list of rules. A rule without a name gets `fault-1`, and one that needs a seed and has none draws
// one. `source` is the name in errors. Throws FileError.
std::vector<FaultRule> parse_fault_rules(std::string_view text, const std::string& source);

// Throws std::invalid_argument.
void check_fault_name(const std::string& name);

// Writes the form that parse_fault_rules() reads.
nlohmann::json to_json(const FaultRule& rule);

}  // namespace rocktable
