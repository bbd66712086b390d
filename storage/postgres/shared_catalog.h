// The tables as this front end knows them. Another front end may have changed them within the last second.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/date_time.h"
#include "base/text.h"
#include "base/threads/mutex.h"
#include "storage/format/table_id.h"
#include "storage/store_types.h"

namespace rocktable {

struct SharedTable {
  TableId id;
  DateTime created;
  std::string name;         // as created
  std::string identifiers;  // the document; empty: none
};

// Thread-safe.
class SharedCatalog {
 public:
  static constexpr std::chrono::seconds kMaxAge{1};

  // Returns the table, which `read` returns if it is not known, or null if it does not exist.
  template <class Read>
  std::shared_ptr<const SharedTable> find(const TableName& name, const Read& read) {
    const std::string key = key_of(name);
    const auto begin = Clock::now();  // a change during the reading must not be missed for longer than kMaxAge
    {
      const std::lock_guard lock(mutex_);
      const auto found = tables_.find(key);
      if (found != tables_.end() && begin - found->second.read < kMaxAge) return found->second.table;
    }
    const std::uint64_t changes = changes_of();
    std::shared_ptr<const SharedTable> table = read();
    const std::lock_guard lock(mutex_);
    if (table == nullptr || changes != changes_) {
      tables_.erase(key);  // the table is created any moment
    } else {
      if (tables_.size() >= kMaxTables) tables_.clear();
      tables_[key] = {table, begin};
    }
    return table;
  }

  void forget(const TableName& name) {
    const std::lock_guard lock(mutex_);
    ++changes_;
    tables_.erase(key_of(name));
  }

  void clear() {
    const std::lock_guard lock(mutex_);
    ++changes_;
    tables_.clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kMaxTables = 10'000;

  struct Known {
    std::shared_ptr<const SharedTable> table;
    Clock::time_point read;
  };

  static std::string key_of(const TableName& name) {
    return std::string(name.account) + '\0' + to_lower_ascii(name.table);
  }
  std::uint64_t changes_of() {
    const std::lock_guard lock(mutex_);
    return changes_;
  }

  Mutex mutex_;
  std::uint64_t changes_ = 0;
  std::unordered_map<std::string, Known> tables_;
};

}  // namespace rocktable
