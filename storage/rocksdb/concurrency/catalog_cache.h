// Caches rows of the catalog. Without the cache, finding a table costs as much as reading the entity in it.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "base/threads/shared_mutex.h"
#include "base/threads/thread_copy.h"
#include "storage/rocksdb/format/catalog_codec.h"

namespace rocktable {

// Thread-safe.
class CatalogCache {
 public:
  // Returns the row of `key`, or nullopt if there is none. On a miss, calls `read` to read the row from the
  // catalog. Keeps no row that is read while a Change exists, so that the cache never holds an outdated row. Each
  // thread has a copy of the row that it found last.
  std::optional<TableRow> find(const std::string& key,
                               const std::function<std::optional<TableRow>(const std::string&)>& read) {
    static thread_local ThreadCopy<TableRow> copy;
    const std::uint64_t version = version_.current();
    if (const TableRow* row = copy.find(version, key)) return *row;
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = rows_.find(key); found != rows_.end()) return copy.keep(version, key, found->second);
    }
    const std::unique_lock lock(mutex_);
    auto row = read(key);
    if (!row || changes_ > 0) return row;
    if (rows_.size() >= kMaxRows) rows_.clear();
    rows_.emplace(key, *row);
    return row;
  }

  void clear() {
    const std::unique_lock lock(mutex_);
    version_.change();
    rows_.clear();
  }

  // Exists while a write changes rows. Meanwhile find() reads these rows from the catalog each time.
  class Change {
   public:
    Change(CatalogCache& rows, std::span<const std::string> keys) : rows_(rows) {
      const std::unique_lock lock(rows_.mutex_);
      ++rows_.changes_;
      rows_.version_.change();
      for (const auto& key : keys) rows_.rows_.erase(key);
    }
    ~Change() {
      const std::unique_lock lock(rows_.mutex_);
      --rows_.changes_;
    }
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    CatalogCache& rows_;
  };

 private:
  static constexpr std::size_t kMaxRows = 10'000;

  Version version_;  // changes before a row is removed
  SharedMutex mutex_;
  std::unordered_map<std::string, TableRow> rows_;
  int changes_ = 0;  // number of Change objects
};

}  // namespace rocktable
