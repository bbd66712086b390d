// Helpers to write to a store and to read its contents.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "storage/postgres/database/statements.h"
#include "tests/unit/support/opened_store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable {

inline constexpr TableName kTable{"acct", "table"};
inline constexpr Condition kNone{};
inline constexpr Condition kAny{Condition::Kind::Any, {}};

inline Condition if_match(DateTime etag) { return {Condition::Kind::ETag, etag}; }

inline ScanDeadline far_away() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }
inline ScanDeadline passed() { return std::chrono::steady_clock::now() - std::chrono::seconds(1); }

// --- The store under test ----------------------------------------------------------------------------------
//
// The embedded store; or, if ROCKTABLE_TEST_STORE names a database (postgresql://...), a store in it, which has the
// tables and statements for Citus if ROCKTABLE_TEST_LAYOUT is `distributed` (support/citus_stand_in.sql). A test that
// is for the embedded store alone is in rocksdb/, or in the test suite kEmbedded, which a run with a database omits.

inline constexpr const char* kEmbedded = "embedded";

bool is_in_database();
PgLayout layout_of_tests();

inline StoreOptions in_memory() { return {{}, true, false}; }

// A new, empty store: in memory, or a schema of its own in the database.
StoreOptions test_store();
// In the database.
StoreOptions test_store(PgLayout layout);

// A new, empty store. If it is `kept`, it can be closed and opened again: a folder of its own. Otherwise it is in
// memory. A store in the database is always kept.
class TestStore {
 public:
  explicit TestStore(bool kept = true);

  const StoreOptions& options() const { return options_; }

 private:
  TemporaryFolder folder_;
  StoreOptions options_;
};

// The values of TestStore's argument that differ for the store under test.
std::vector<bool> kept_or_not();

// --- Reading -----------------------------------------------------------------------------------------------

inline std::vector<Entity> entities_in(const OpenedStore& store, const TableName& name,
                                       const KeyRanges& ranges = all_keys()) {
  std::vector<Entity> out;
  const auto resume = store.scan(name, ranges, 1'000'000, far_away(), [&](const EntityView& entity) {
    out.push_back(to_entity(entity));
    return true;
  });
  REQUIRE(resume.has_value());
  REQUIRE_FALSE(resume->has_value());
  return out;
}

inline std::optional<Entity> entity_at(const OpenedStore& store, const TableName& name, const EntityKey& key) {
  std::optional<Entity> out;
  const auto found = store.get(name, key, [&](const EntityView& entity) { out = to_entity(entity); });
  REQUIRE(found.has_value());
  REQUIRE(*found == out.has_value());
  return out;
}

inline std::string text_of(const Entity& entity) {
  std::string out =
      "(" + entity.key.partition_key + "," + entity.key.row_key + ") @" + std::to_string(entity.timestamp.ticks);
  for (const auto& [name, value] : entity.properties) out += " " + name + "=" + to_string(view_of(value));
  return out;
}

// Returns the first difference as a sentence; empty if there is none.
inline std::string difference(const std::vector<Entity>& is, const std::vector<Entity>& should_be) {
  for (std::size_t i = 0; i < std::max(is.size(), should_be.size()); ++i) {
    if (i < is.size() && i < should_be.size() && is[i] == should_be[i]) continue;
    return "entity " + std::to_string(i) + " is " + (i < is.size() ? text_of(is[i]) : "missing") + ", should be " +
           (i < should_be.size() ? text_of(should_be[i]) : "missing");
  }
  return "";
}

// --- Writing -----------------------------------------------------------------------------------------------

inline Mutation insert(std::string row_key, const Properties& properties = {}) {
  return {WriteKind::Insert, std::move(row_key), kNone, properties};
}

inline Mutation upsert(std::string row_key, const Properties& properties = {}) {
  return {WriteKind::Replace, std::move(row_key), kNone, properties};
}

inline Mutation remove(std::string row_key, Condition condition = kAny) {
  return {WriteKind::Delete, std::move(row_key), condition, {}};
}

inline DateTime committed(OpenedStore& store, const TableName& name, std::string_view partition_key,
                          const std::vector<Mutation>& writes) {
  const auto timestamp = store.commit(name, partition_key, writes);
  REQUIRE(timestamp.has_value());
  return *timestamp;
}

// Returns "done", or position and code of the refusal.
inline std::string outcome(const CommitResult<DateTime>& result) {
  if (result) return "done";
  return std::to_string(result.error().position) + " " + std::string(to_string(result.error().error.code));
}

inline std::string outcome(const Result<void>& result) {
  return result ? "done" : std::string(to_string(result.error().code));
}

}  // namespace rocktable
