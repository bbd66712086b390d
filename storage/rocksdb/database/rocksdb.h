// Helpers for all code that uses RocksDB. Only the .cc files of the store and the bare store of the
// benchmarks include this.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/perf_level.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstdarg>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rocktable {

inline rocksdb::Slice slice(std::string_view text) { return {text.data(), text.size()}; }
inline std::string_view view(const rocksdb::Slice& bytes) { return {bytes.data(), bytes.size()}; }

// RocksDB counts each comparison of keys in counters of the thread, which nobody reads. Disables them for this thread.
inline void disable_perf_counters() { rocksdb::SetPerfLevel(rocksdb::PerfLevel::kDisable); }

// Replaces RocksDB's file LOG. If the disk is full and a line cannot be logged, RocksDB as built by Debian
// ends the process. Errors are in the statuses that RocksDB returns.
class NullLogger : public rocksdb::Logger {
 public:
  using rocksdb::Logger::Logv;
  void Logv(const char*, std::va_list) override {}
};

// A fault that no client can cause: of the disk, or of the files. The message names the file.
class StoreFault : public std::runtime_error {
 public:
  explicit StoreFault(const rocksdb::Status& status)
      : std::runtime_error("the store failed: " + status.ToString()), status_(status) {}

  const rocksdb::Status& status() const { return status_; }
  bool is_damage() const { return status_.IsCorruption(); }

 private:
  rocksdb::Status status_;
};

inline void check(const rocksdb::Status& status) {
  if (!status.ok()) throw StoreFault(status);
}

}  // namespace rocktable
