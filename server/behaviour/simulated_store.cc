#include "server/behaviour/simulated_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "server/behaviour/boundaries.h"

namespace rocktable {

// The period that begins now.
PastValues::Period SimulatedStore::next(std::int64_t ticks) const {
  const DateTime now = time_.now();
  return {now, {now.ticks + ticks}};
}

Result<void> SimulatedStore::create_table(const TableName& name) {
  const auto behaviour = behaviours_.of(name.account);
  if (behaviour && behaviour->delete_delay > 0 &&
      behaviours_.deleted_tables().find(name.account, name.table, time_.now()))
    return Error(ErrorCode::TableBeingDeleted);
  return inner().create_table(name);
}

Result<void> SimulatedStore::delete_table(const TableName& name) {
  auto out = inner().delete_table(name);
  const auto behaviour = behaviours_.of(name.account);
  if (out && behaviour && behaviour->delete_delay > 0)
    behaviours_.deleted_tables().keep(name.account, name.table, {}, next(behaviour->delete_delay));
  return out;
}

Result<void> SimulatedStore::set_signed_identifiers(const TableName& name, std::string_view document) {
  const auto behaviour = behaviours_.of(name.account);
  if (!behaviour || behaviour->policy_delay == 0) return inner().set_signed_identifiers(name, document);
  auto former = inner().signed_identifiers(name);
  if (!former) return former.error();
  auto out = inner().set_signed_identifiers(name, document);
  if (out)
    behaviours_.access_policies().keep(name.account, name.table, *std::move(former), next(behaviour->policy_delay));
  return out;
}

Result<std::string> SimulatedStore::signed_identifiers_in_force(const TableName& name) const {
  if (behaviours_.is_active())
    if (auto former = behaviours_.access_policies().find(name.account, name.table, time_.now()))
      return *std::move(former);
  return inner().signed_identifiers_in_force(name);
}

Result<std::optional<EntityKey>> SimulatedStore::scan(const ScanArguments& scan, RequestStats& stats) const {
  const auto behaviour = behaviours_.of(scan.table.account);
  if (!behaviour || (behaviour->page_deadline == 0 && behaviour->boundaries == 0)) return inner().scan(scan, stats);
  auto deadline = scan.deadline;
  if (behaviour->page_deadline > 0)
    deadline =
        std::min(deadline, std::chrono::steady_clock::now() + std::chrono::milliseconds(behaviour->page_deadline));
  KeyRanges ranges = scan.ranges;
  std::optional<EntityKey> boundary;
  if (behaviour->boundaries > 0) {
    const auto boundaries = page_boundaries(inner(), scan.table, behaviour->boundaries, behaviour->seed);
    if (!boundaries) return boundaries.error();
    boundary = cut_at_boundary(ranges, *boundaries);
  }
  auto resume = inner().scan({.table = scan.table,
                              .ranges = ranges,
                              .page_size = scan.page_size,
                              .deadline = deadline,
                              .visit = scan.visit,
                              .filter = scan.filter,
                              .is_full = scan.is_full},
                             stats);
  if (resume && !*resume) return boundary;
  return resume;
}

}  // namespace rocktable
