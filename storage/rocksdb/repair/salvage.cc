#include "storage/rocksdb/repair/salvage.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <memory>

#include "storage/rocksdb/database/rocksdb.h"

namespace rocktable {
namespace {

constexpr std::size_t kBatchBytes = 1 << 20;
constexpr std::string_view kAfterAllKeys = "\xff";

// Writes without a log: an interrupted repair starts from the beginning.
class FamilyWriter {
 public:
  explicit FamilyWriter(const RowFamily& to) : to_(to) { options_.disableWAL = true; }

  void put(const rocksdb::Slice& key, const rocksdb::Slice& value) {
    check(batch_.Put(to_.family, key, value));
    if (batch_.GetDataSize() > kBatchBytes) write();
  }

  void finish() {
    write();
    check(to_.db.Flush({}, to_.family));
  }

 private:
  void write() {
    check(to_.db.Write(options_, &batch_));
    batch_.Clear();
  }

  const RowFamily& to_;
  rocksdb::WriteOptions options_;
  rocksdb::WriteBatch batch_;
};

// Returns an iterator at the first row from `key`, or at the end; null if that row cannot be read. Creates a
// new iterator each time, because an iterator of RocksDB does not reliably recover from a failure.
std::unique_ptr<rocksdb::Iterator> rows_from(const RowFamily& from, std::string_view key) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::unique_ptr<rocksdb::Iterator> rows(from.db.NewIterator(options, from.family));
  rows->Seek(slice(key));
  if (rows->Valid() || rows->status().ok()) return rows;
  if (!rows->status().IsCorruption()) check(rows->status());
  return nullptr;
}

// Returns the lowest key above all keys with this prefix; empty if there is none.
std::string end_of_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

// Returns an iterator at the first readable row after a damaged block that follows `last`, or null if there
// is none. RocksDB does not report where the block ends. First tries ever shorter prefixes of `last`, until a
// key after them is readable; then bisects.
std::unique_ptr<rocksdb::Iterator> skip_damage(const RowFamily& from, const std::string& last) {
  std::string low = last, high(kAfterAllKeys);
  for (std::size_t length = last.size(); length > 0; --length) {
    const std::string candidate = end_of_prefix(last.substr(0, length));
    if (candidate.empty() || !rows_from(from, candidate)) continue;
    high = candidate;
    break;
  }
  // Each step halves the gap. 256 steps resolve the table id and the first 24 bytes of a key. Closer keys do
  // not occur.
  constexpr int kExactEnough = 256;
  for (int step = 0; step < kExactEnough; ++step) {
    const std::string middle = middle_of(low, high);
    if (middle <= low || middle >= high) break;
    (rows_from(from, middle) ? high : low) = middle;
  }
  return rows_from(from, high);
}

}  // namespace

std::string middle_of(std::string_view low, std::string_view high) {
  const auto digit = [](std::string_view key, std::size_t i) {
    return i < key.size() ? static_cast<unsigned char>(key[i]) : 0u;
  };
  std::size_t same = 0;
  while (same < high.size() && digit(low, same) == digit(high, same)) ++same;
  constexpr std::size_t kDigits = 6;  // digits after the common prefix; if keys are closer, return the higher one
  const auto digits = [&](std::string_view key) {
    std::uint64_t out = 0;
    for (std::size_t i = same; i < same + kDigits; ++i) out = out << 8 | digit(key, i);
    return out;
  };
  const std::uint64_t a = digits(low), b = digits(high), middle = a + (b - a) / 2;
  if (middle <= a) return std::string(high);
  std::string out(high.substr(0, same));
  for (std::size_t i = kDigits; i-- > 0;) out += static_cast<char>(middle >> (8 * i));
  return out;
}

void copy_readable(const RowFamily& from, const RowFamily& to,
                   const std::function<void(const std::string&, const std::string&)>& lost) {
  FamilyWriter writer(to);
  std::string last;
  auto rows = rows_from(from, "");
  while (true) {
    for (; rows != nullptr && rows->Valid(); rows->Next()) {
      writer.put(rows->key(), rows->value());
      last = rows->key().ToString();
    }
    if (rows != nullptr && rows->status().ok()) break;
    rows = skip_damage(from, last);
    if (rows == nullptr) check(rocksdb::Status::Corruption("no row after the damage can be read"));
    lost(last, rows->Valid() ? rows->key().ToString() : "");
  }
  writer.finish();
}

}  // namespace rocktable
