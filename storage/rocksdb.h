// What all code needs that speaks to RocksDB. Included by the .cc files of the store, and by the bare store of
// the benchmarks, alone.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <stdexcept>
#include <string>
#include <string_view>

namespace rocktable {

inline rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// For faults that no client can cause.
inline void check(const rocksdb::Status& status) {
  if (!status.ok()) throw std::runtime_error("the store failed: " + status.ToString());
}

}  // namespace rocktable
