// The values of one property for consecutive rows of a table, in the order of their keys, as they were at one moment. A
// scan compares these values instead of the rows, and reads only the rows that may match.
//
//   column := blocks, each of up to 256 rows
//   block  := for each row: the type of the value, or that there is none; the value, or the place of its text;
//             the size of the row; what the key adds to the key before it
//
// A row takes 17 bytes, the end of its key, and the value's text.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/value.h"

namespace rocktable {

// What all columns of a store may take, in bytes. Thread-safe. Must outlive the blocks.
class ColumnBudget {
 public:
  explicit ColumnBudget(std::size_t bytes) : limit_(bytes) {}

  // Returns false, and takes nothing, if less is left.
  bool take(std::size_t bytes);
  void give_back(std::size_t bytes) { used_ -= bytes; }
  std::size_t used() const { return used_; }

 private:
  const std::size_t limit_;
  std::atomic<std::size_t> used_ = 0;
};

// Immutable once it is in a column. Keys are those of RocksDB.
class ColumnBlock {
 public:
  static constexpr std::size_t kMaxRows = 256;

  explicit ColumnBlock(ColumnBudget& budget) : budget_(budget) {}
  ~ColumnBlock() { budget_.give_back(taken_); }
  ColumnBlock(const ColumnBlock&) = delete;
  ColumnBlock& operator=(const ColumnBlock&) = delete;

  std::size_t rows() const { return rows_; }
  // Nullopt: the row has no such property.
  std::optional<ValueView> value(std::size_t row) const;
  // The size of the row's key and record.
  std::size_t row_bytes(std::size_t row) const { return row_bytes_[row]; }
  // Sets `out` to the key of the row; keeps its memory.
  void key(std::size_t row, std::string& out) const;
  // Returns the first row whose key is `key` or after it; rows() if there is none.
  std::size_t lower_bound(std::string_view key) const;

  // --- For ColumnWriter
  // Keys must ascend. Returns false if the block is full.
  bool add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value);
  // Takes the budget for the block and frees what it has reserved. Returns false if the budget is spent.
  bool finish();

 private:
  static constexpr std::size_t kRestart = 16;  // each sixteenth key is whole
  static constexpr std::uint8_t kNone = 0xFF;

  // A key in keys_: the bytes that it shares with the key before it, the number of those that follow, these.
  struct KeyHeader {
    std::uint16_t shared, added;
  };

  void step(std::size_t& at, std::string& key) const;

  ColumnBudget& budget_;
  std::size_t taken_ = 0;
  std::size_t rows_ = 0;
  std::array<std::uint64_t, kMaxRows> values_;  // the value, or the begin and the size of its bytes in texts_
  std::array<std::uint32_t, kMaxRows> row_bytes_;
  std::array<std::uint8_t, kMaxRows> types_;  // EdmType or kNone
  std::array<std::uint32_t, kMaxRows / kRestart> restarts_;
  std::string keys_, texts_, last_key_;
};

struct Column {
  std::vector<std::shared_ptr<const ColumnBlock>> blocks;
  // The column has all rows from its begin up to this key: an encoded bound, as of the scans that made it.
  std::string covered_to;
  bool is_complete = false;  // up to the end of its range

  struct Place {
    std::size_t block, row;
  };
  // Returns the first row whose key is `key` or after it; {blocks.size(), 0} if there is none.
  Place lower_bound(std::string_view key) const;
};

// Appends rows to a column, which stays as it is for those who use it.
class ColumnWriter {
 public:
  // `column` null: none yet.
  ColumnWriter(ColumnBudget& budget, const Column* column);

  // Keys must ascend. Returns false if the budget is spent: then the writer is of no use any more.
  bool add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value);
  // Returns null if the budget is spent.
  std::shared_ptr<const Column> finish(std::string_view covered_to, bool is_complete);

 private:
  bool close_block();

  ColumnBudget& budget_;
  std::shared_ptr<Column> column_;
  std::shared_ptr<ColumnBlock> open_;  // null: none has been begun
};

}  // namespace rocktable
