// Finds runs of single requests in one partition of a table that could be one query, or one entity group transaction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"

namespace rocktable {

class AccessRuns {
 public:
  // A run of fewer rows is not reported: a page of a program reads a few.
  static constexpr std::uint32_t kMinRows = 20;

  enum class Step { PointRead, SingleWrite };

  struct Access {
    Step step;
    std::uint64_t partition, row;  // hashes of the keys
    std::string_view partition_key, method, target, client;
  };

  // The next request of the table.
  void add(const Access& access);
  // Anything but a point read or a single write: a query, a transaction.
  void interrupt() { finish(); }

  // Runs that have ended, and the current one.
  Evidence point_reads() const { return with_current(Step::PointRead); }
  Evidence single_writes() const { return with_current(Step::SingleWrite); }

 private:
  struct Runs {
    Evidence total;
    std::uint32_t longest = 0;
  };

  void finish();
  void add_row(const Access& access);
  Runs& runs_of(Step step) { return step == Step::PointRead ? reads_ : writes_; }
  Evidence with_current(Step step) const;

  // The current run, and its different rows up to kMinRows.
  Step step_ = Step::PointRead;
  std::uint64_t partition_ = 0;
  std::uint32_t requests_ = 0, rows_ = 0;
  std::array<std::uint64_t, kMinRows> row_hashes_{};
  std::string partition_key_, example_, client_;
  Runs reads_, writes_;
};

}  // namespace rocktable
