#include "storage/store_fixtures.h"

namespace rocktable {

std::uint64_t StoreFixtures::count_tables(std::uint64_t most) const { return engine_.count_tables(most); }

bool StoreFixtures::is_empty() const { return count_tables(1) == 0; }

std::map<std::string, std::uint64_t> StoreFixtures::table_counts() const { return engine_.table_counts(); }

std::string StoreFixtures::contents_id() const { return engine_.contents_id(); }

Result<SeedCount> StoreFixtures::seed(const std::vector<SeedTable>& tables) { return engine_.seed(tables); }

void StoreFixtures::reset() { engine_.reset(); }

void StoreFixtures::reset_account(std::string_view account) { engine_.reset_account(account); }

Result<void> StoreFixtures::reset_table(const TableName& name) { return engine_.reset_table(name); }

Result<AccountClone> StoreFixtures::clone_account(std::string_view from, std::string_view to) {
  return engine_.clone_account(from, to);
}

SnapshotKeeper& StoreFixtures::keeper() const {
  if (SnapshotKeeper* const keeper = engine_.snapshot_keeper()) return *keeper;
  throw NotSupportedByStore("This store has no snapshots: they need the embedded store.");
}

Result<std::optional<SnapshotInfo>> StoreFixtures::take_snapshot(std::string_view name, bool replace) {
  return keeper().take_snapshot(name, replace);
}

std::vector<SnapshotInfo> StoreFixtures::snapshots() const { return keeper().snapshots(); }

Result<void> StoreFixtures::delete_snapshot(std::string_view name) { return keeper().delete_snapshot(name); }

Result<void> StoreFixtures::restore_snapshot(std::string_view name) {
  return keeper().restore_snapshot(name);
}

}  // namespace rocktable
