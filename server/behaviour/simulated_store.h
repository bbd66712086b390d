// A store that behaves as the real service does under load: changes take effect late, pages of queries are short.
#pragma once

#include <memory>
#include <string>

#include "base/time_source.h"
#include "server/behaviour/behaviours.h"
#include "storage/store_wrapper.h"

namespace rocktable {

//   deleteDelay    the name of a deleted table cannot be used for a while
//   policyDelay    a changed access policy applies after a while
//   pageDeadline   a page ends after so many milliseconds
//   boundaries     a page ends at some partition keys (boundaries.h)
//
// Accounts without these pay one test of a flag.
class SimulatedStore final : public StoreWrapper {
 public:
  // All must outlive it.
  SimulatedStore(Store& store, Behaviours& behaviours, const TimeSource& time)
      : StoreWrapper(store), behaviours_(behaviours), time_(time) {}

  // Errors: also TableBeingDeleted.
  Result<void> create_table(const TableName& name) override;
  Result<void> delete_table(const TableName& name) override;
  Result<void> set_signed_identifiers(const TableName& name, std::string_view document) override;
  Result<std::string> signed_identifiers_in_force(const TableName& name) const override;
  Result<std::optional<EntityKey>> scan(const ScanArguments& scan, RequestStats& stats) const override;

 private:
  PastValues::Period next(std::int64_t ticks) const;

  Behaviours& behaviours_;
  const TimeSource& time_;
};

}  // namespace rocktable
