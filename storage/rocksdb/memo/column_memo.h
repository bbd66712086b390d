// Columns of properties that filters ask for again and again.
//
// The third scan that reads the same range of a table for the same property, while nothing is written to the store,
// makes a column of the property, and later scans use it. A write to the store ends all columns: one holds for one
// sequence number of RocksDB, the number of the last write. So a store that is written to all the time makes none.
//
// What bounds the cost:
//   memory     all columns together have a budget. Only one scan at a time makes a column. It gives up when the
//              budget is spent, and no other does for the same sequence number. It also gives up if many rows match,
//              because then a column saves little; another filter may match fewer, so a later scan tries again.
//   idle time  a column that no scan has used for a minute is dropped, and its memory returns to the system
//   time       scans that read few rows neither make columns nor are they counted
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/threads/stoppable_thread.h"
#include "odata/value.h"
#include "storage/format/table_id.h"
#include "storage/rocksdb/memo/column.h"

namespace rocktable {

class ColumnMaker;

// What a scan reads: rows of a table from `begin`, before `end` (encoded keys), for a filter that asks for a property.
// `sequence`: that of the scan's snapshot.
struct ColumnScan {
  TableId table;
  std::string_view property, begin, end;
  std::uint64_t sequence;
};

// Thread-safe.
class ColumnMemo {
 public:
  using Clock = std::chrono::steady_clock;

  static constexpr std::size_t kBudgetBytes = 24 << 20;
  static constexpr std::chrono::seconds kIdleTime{60};
  static constexpr std::uint64_t kManyRows = 512;  // a scan of fewer is not worth a column

  explicit ColumnMemo(std::size_t budget = kBudgetBytes) : budget_(budget) {}
  ~ColumnMemo() = default;
  ColumnMemo(const ColumnMemo&) = delete;
  ColumnMemo& operator=(const ColumnMemo&) = delete;

  struct Use {
    std::shared_ptr<const Column> column;  // has the rows from `begin` up to its covered_to; null: there is none
    std::unique_ptr<ColumnMaker> maker;    // for the rows after the column; null: this scan makes none
  };
  // Call this before a scan.
  Use begin_scan(const ColumnScan& scan, Clock::time_point now = Clock::now());

  // Call this after a scan that has read `rows` and had no maker.
  void end_scan(const ColumnScan& scan, std::uint64_t rows, Clock::time_point now = Clock::now());

  // Forgets everything. Call this when the store gets another database, while no scan is running.
  void clear();

  // Forgets what no scan has used for kIdleTime. Returns whether columns are left. A thread calls it while there are
  // columns.
  bool drop_idle(Clock::time_point now);

  // The memory of all columns, in bytes.
  std::size_t used() const { return budget_.used(); }

 private:
  friend class ColumnMaker;

  struct Entry {
    TableId table;
    std::string property, begin, end;
    Clock::time_point used;
    int scans = 0;            // that had no column
    bool is_refused = false;  // a column exceeds the budget
    std::shared_ptr<const Column> column = nullptr;
  };

  static constexpr std::size_t kMaxEntries = 64;
  static constexpr int kScansBefore = 2;  // scans that are counted before one makes a column

  // The following expect mutex_ to be held.
  // Returns false if the scan sees an older state than the memo. Moves entries of an older state to `dropped`, so that
  // they are freed without the lock.
  bool agree_on(std::uint64_t sequence, std::vector<Entry>& dropped);
  Entry* find(const ColumnScan& scan);
  void add(const ColumnScan& scan, Clock::time_point now, std::vector<Entry>& dropped);
  void start_sweeper();

  // Of makers. Replaces `base` (null: none) by `column`; null: it is refused. Does nothing if the entry is not as it
  // was when the maker began.
  void install(const ColumnScan& scan, const std::shared_ptr<const Column>& base, std::shared_ptr<const Column> column);
  void count_anew(const ColumnScan& scan);
  void release_maker() { is_making_ = false; }
  void sweep(StopSignal& stop);

  ColumnBudget budget_;
  std::atomic<bool> is_making_ = false;  // set with the lock, because two scans may want to make a column
  std::atomic<bool> is_empty_ = true;    // entries_; lets short scans go on without the lock
  std::mutex mutex_;
  std::uint64_t sequence_ = 0;  // of all entries
  std::vector<Entry> entries_;
  bool is_sweeping_ = false;
  StoppableThread sweeper_;  // the last member: it ends before the others
};

// Makes a column of the rows that a scan reads, or gives up. There is one at a time. Destroy it before the scan ends.
class ColumnMaker {
 public:
  // `base`: the column that the rows are added to; null: none yet.
  ColumnMaker(ColumnMemo& memo, const ColumnScan& scan, std::shared_ptr<const Column> base);
  ~ColumnMaker() { memo_.release_maker(); }
  ColumnMaker(const ColumnMaker&) = delete;
  ColumnMaker& operator=(const ColumnMaker&) = delete;

  // Adds the next row. `may_match`: by the filter that asks for the property. Returns false if the column costs too
  // much or saves too little: then the maker is of no use any more.
  bool add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value, bool may_match);

  // Hands the column to the memo: it has all rows up to `covered_to`. `is_complete`: these are all of the range.
  void finish(std::string_view covered_to, bool is_complete);

 private:
  static constexpr std::uint64_t kSampleRows = 1024;
  static constexpr std::uint64_t kMostMatches = 4;  // of so many rows, one may match

  bool saves_little() const { return matches_ * kMostMatches > rows_; }

  ColumnMemo& memo_;
  const std::string property_, begin_, end_;
  const ColumnScan scan_;  // views of the strings before it
  const std::shared_ptr<const Column> base_;
  ColumnWriter writer_;
  std::uint64_t rows_ = 0, matches_ = 0;
};

}  // namespace rocktable
