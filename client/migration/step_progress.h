// What the steps of a migration have in common: what they cost, how far they are, and what stops them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

#include "odata/entity.h"

namespace rocktable::migration {

// What a step touches, or would touch.
struct StepCost {
  std::uint64_t entities = 0;
  std::uint64_t transactions = 0;  // entity group transactions of up to 100, and single writes
};

// How far a step is. Phases are numbers that only the step knows; the first is 0.
struct StepProgress {
  std::string name;    // of its own tables: different for each step of each migration
  int phase = 0;       // that was reached before
  bool again = false;  // it was begun before: some of it may be done
  std::function<void(int phase)> reached = [](int) {};  // all before this phase need not be done again
  std::function<void(std::uint64_t entities)> moved = [](std::uint64_t) {};  // so many so far
};

// The sentence of an entity that stops a step.
std::runtime_error entity_error(const std::string& table, const EntityKey& key, const std::string& sentence);

// Counts transactions: those of a partition, if entities come in order of their keys.
class TransactionCounter {
 public:
  void add(const std::string& partition_key);
  StepCost cost() const { return cost_; }

 private:
  std::string partition_;
  std::size_t open_ = 0;
  StepCost cost_;
};

}  // namespace rocktable::migration
