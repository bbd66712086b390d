// Finds runs of single requests in one partition of a table that could be one query, or one entity group transaction.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "odata/insight/evidence.h"
#include "server/insight/run_totals.h"

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

  // The next request of the table. Reads do not end a run of writes, nor writes one of reads: a program that reads and
  // then updates one entity after the other has both.
  void add(const Access& access) { run_of(access.step).add(access); }
  // Anything but a point read or a single write: a query, a transaction.
  void interrupt();

  // Runs that have ended, and the current one.
  Evidence point_reads() const { return reads_.with_current(); }
  Evidence single_writes() const { return writes_.with_current(); }

 private:
  // The runs of one step.
  class Runs {
   public:
    void add(const Access& access);
    void finish();
    Evidence with_current() const;

   private:
    void add_row(const Access& access);

    // The current run, and its different rows up to kMinRows.
    std::uint64_t partition_ = 0;
    std::uint32_t requests_ = 0, rows_ = 0;
    std::array<std::uint64_t, kMinRows> row_hashes_{};
    std::string partition_key_, example_, client_;
    RunTotals totals_;
  };

  Runs& run_of(Step step) { return step == Step::PointRead ? reads_ : writes_; }

  Runs reads_, writes_;
};

}  // namespace rocktable
