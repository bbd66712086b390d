// Entities in the rows of a result, and how they are written.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "storage/format/entity_codec.h"
#include "storage/postgres/pg_values.h"

namespace rocktable {

// Returns the record in column `record`, with the timestamp of column `ticks`. The rows keep it. Throws CorruptRecord.
std::string_view record_with_ticks(PgRows& rows, int row, int ticks, int record);

// A record whose timestamp is in another column.
std::string record_without_ticks(const EncodedProperties& properties);

// Adds its lifetime to `total`.
class StopWatch {
 public:
  explicit StopWatch(std::chrono::nanoseconds& total) : total_(total) {}
  ~StopWatch() { total_ += std::chrono::steady_clock::now() - start_; }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  std::chrono::nanoseconds& total_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace rocktable
