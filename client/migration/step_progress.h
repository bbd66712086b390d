// Types that all steps share: cost, progress, errors.
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
  std::uint64_t transactions = 0;  // entity group transactions of up to 100 writes, and single writes
};

// Progress of a step. The numbers of phases are private to each step; the first is 0.
struct StepProgress {
  std::string work_table;                                // name of its temporary table: unique per migration and step
  int phase = 0;                                         // the phase to continue with
  bool is_retry = false;                                 // started before: some of it may be done
  std::function<void(int phase)> on_phase = [](int) {};  // all earlier phases are complete
  std::function<void(std::uint64_t entities)> on_entities = [](std::uint64_t) {};  // number so far
};

// The error for an entity that stops a step.
std::runtime_error entity_error(const std::string& table, const EntityKey& key, const std::string& sentence);

// Counts the transactions for writes, per partition. Entities must come in key order.
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
