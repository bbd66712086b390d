// Rows of the catalog that were asked for: a look-up in RocksDB costs as much as the entity behind it.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <unordered_map>

#include "storage/format/catalog_codec.h"

namespace rocktable {

// Thread-safe.
class CatalogCache {
 public:
  // `read` gives what the catalog holds; it runs while nobody can begin to change a row, so that nothing outdated is
  // kept.
  std::optional<TableRow> find(const std::string& key,
                               const std::function<std::optional<TableRow>(const std::string&)>& read) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = rows_.find(key); found != rows_.end()) return found->second;
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
    rows_.clear();
  }

  // Around the write that changes rows: whoever asks for one meanwhile finds what the catalog holds at that moment.
  class Change {
   public:
    Change(CatalogCache& rows, std::span<const std::string> keys) : rows_(rows) {
      const std::unique_lock lock(rows_.mutex_);
      ++rows_.changes_;
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

  std::shared_mutex mutex_;
  std::unordered_map<std::string, TableRow> rows_;
  int changes_ = 0;  // at work
};

}  // namespace rocktable
