// Ensures that one runner at a time migrates an account: an entity of the history table, PartitionKey
// `versionDataLock`, RowKey `lock`, with the runner's name and the end of its lease. The holder renews it on
// a separate thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/threads/stoppable_thread.h"
#include "client/migration/migration_client.h"

namespace rocktable::migration {

struct RunnerLockOptions {
  std::chrono::milliseconds max_wait{60'000};  // for another runner to finish
  std::chrono::milliseconds lease{30'000};     // expires without renewal; must exceed clock differences
};

class RunnerLock {
 public:
  // Acquires the lock; at once if its holder was a process of this machine that has ended. The table must
  // exist. Throws std::runtime_error with the holder's name if max_wait passes. Later, `work` is stopped if
  // the lease cannot be renewed. `own` sends the lock's requests, because requests of `work` may take long.
  RunnerLock(MigrationClient& work, std::unique_ptr<MigrationClient> own, RunnerLockOptions options);
  // Releases the lock.
  ~RunnerLock();
  RunnerLock(const RunnerLock&) = delete;
  RunnerLock& operator=(const RunnerLock&) = delete;

 private:
  bool try_acquire(std::string& holder);
  bool is_ours();
  Entity entry() const;
  void renew_until(StopSignal& end);

  MigrationClient& work_;
  const std::unique_ptr<MigrationClient> own_;
  const RunnerLockOptions options_;
  const std::string owner_;
  DateTime timestamp_;  // of our entry
  StoppableThread renewal_;
};

}  // namespace rocktable::migration
