#include "storage/repair/salvage.h"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <memory>

#include "storage/rocksdb.h"

namespace rocktable {
namespace {

constexpr std::size_t kBatchBytes = 1 << 20;
constexpr std::string_view kBehindAllKeys = "\xff";

// Writes without a log: who is interrupted begins again.
class Writer {
 public:
  explicit Writer(const RowsOf& to) : to_(to) { options_.disableWAL = true; }

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

  const RowsOf& to_;
  rocksdb::WriteOptions options_;
  rocksdb::WriteBatch batch_;
};

// An iterator at this key, or where all ends; null where that cannot be read. Each is a new one: those of RocksDB do not
// forget a failure for certain.
std::unique_ptr<rocksdb::Iterator> rows_from(const RowsOf& from, std::string_view key) {
  rocksdb::ReadOptions options;
  options.fill_cache = false;
  std::unique_ptr<rocksdb::Iterator> rows(from.db.NewIterator(options, from.family));
  rows->Seek(slice(key));
  if (rows->Valid() || rows->status().ok()) return rows;
  if (!rows->status().IsCorruption()) check(rows->status());
  return nullptr;
}

// The least key behind all that begin with this; empty where there is none.
std::string behind_prefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

// Goes on behind a damaged block that follows `last`. RocksDB does not say where it ends: a key that is far enough is
// looked for in growing steps, and then the first such key between. Null where there is none.
std::unique_ptr<rocksdb::Iterator> skip_damage(const RowsOf& from, const std::string& last) {
  std::string low = last, high(kBehindAllKeys);
  for (std::size_t length = last.size(); length > 0; --length) {
    const std::string candidate = behind_prefix(last.substr(0, length));
    if (candidate.empty() || !rows_from(from, candidate)) continue;
    high = candidate;
    break;
  }
  // Each step halves what is between: a table's id and the first 24 bytes of a key. Keys that are closer never meet.
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
  constexpr std::size_t kDigits =
      6;  // behind what is the same: of keys that are closer, the higher one will do
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

void copy_readable(const RowsOf& from, const RowsOf& to,
                   const std::function<void(const std::string&, const std::string&)>& lost) {
  Writer writer(to);
  std::string last;
  auto rows = rows_from(from, "");
  while (true) {
    for (; rows != nullptr && rows->Valid(); rows->Next()) {
      writer.put(rows->key(), rows->value());
      last = rows->key().ToString();
    }
    if (rows != nullptr && rows->status().ok()) break;
    rows = skip_damage(from, last);
    if (rows == nullptr) check(rocksdb::Status::Corruption("nothing can be read behind the damage"));
    lost(last, rows->Valid() ? rows->key().ToString() : "");
  }
  writer.finish();
}

}  // namespace rocktable
