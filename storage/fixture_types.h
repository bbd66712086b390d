// The types of the calls that test suites need (store.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/date_time.h"
#include "odata/entity.h"

namespace rocktable {

// This store has no such call. The message is a sentence for the user.
class NotSupportedByStore : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The number of tables and entities copied.
struct AccountClone {
  std::uint64_t tables = 0, entities = 0;
};

// A table to create in an empty store.
struct SeedTable {
  std::string account, name;
  // Returns the next entity of the table, or nullopt at the end. The tables are read one after the other. If
  // it throws, no table is created.
  std::function<std::optional<Entity>()> next;
};

// The number of tables and entities written.
struct SeedCount {
  std::uint64_t tables = 0, entities = 0;
};

// A snapshot of the whole store. `bytes` includes files that the snapshot shares with the store or with other
// snapshots.
struct SnapshotInfo {
  std::string name;
  DateTime taken;
  std::uint64_t tables = 0, bytes = 0;
};

// The snapshot cannot be restored. The message names the missing or damaged file. The store is unchanged.
class DamagedSnapshot : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rocktable
