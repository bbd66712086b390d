// One runner at a time: an entity of the history's table, PartitionKey `versionDataLock`, RowKey `lock`, with the runner's
// name and the time until which it counts. Its holder renews it from a thread of its own.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "client/migration/migration_client.h"

namespace rocktable::migration {

struct RunnerLockOptions {
  std::chrono::milliseconds patience{60'000};  // for another runner to end
  std::chrono::milliseconds lease{30'000};  // without renewal it counts no longer; clocks may differ by less
};

class RunnerLock {
 public:
  // Takes the lock, at once where its holder ran on this machine and is gone. The table must be there. Throws
  // std::runtime_error, which says who holds it. Where it cannot be renewed later, `work` is stopped. `own` is for the
  // lock's own requests: those of the work may take long.
  RunnerLock(MigrationClient& work, std::unique_ptr<MigrationClient> own, RunnerLockOptions options);
  // Gives it back.
  ~RunnerLock();
  RunnerLock(const RunnerLock&) = delete;
  RunnerLock& operator=(const RunnerLock&) = delete;

 private:
  bool try_to_take(std::string& holder);
  bool is_ours();
  Entity entry() const;
  void renew_until_the_end();

  MigrationClient& work_;
  const std::unique_ptr<MigrationClient> own_;
  const RunnerLockOptions options_;
  const std::string owner_;
  DateTime timestamp_;  // of the entry as we wrote it
  std::mutex mutex_;
  std::condition_variable end_;
  bool ended_ = false;
  std::thread renewal_;
};

}  // namespace rocktable::migration
