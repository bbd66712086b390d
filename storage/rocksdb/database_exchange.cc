// Replaces the database of a store while it serves requests.
//
// On the disk, no database is open during the exchange, because RocksDB opens files by path. If neither the
// new nor the former store can be opened afterwards (disk full, too few descriptors), the store is not
// available until recovery_ has opened the former one. In memory, the new database stays where it was made,
// and this cannot happen.
#include <algorithm>
#include <mutex>

#include "base/folder_swap.h"
#include "storage/rocksdb/database/catalog_rows.h"
#include "storage/rocksdb/database/env_files.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_state.h"

namespace rocktable {

void EmbeddedState::require_database() const {
  if (database_ == nullptr)
    throw ServiceException(Error(ErrorCode::ServerBusy, "the store is not available: " + unavailable().value_or("")));
}

// Writes to `next` the counters that the store continues with, and returns them: beyond all timestamps and
// ids that either store has used.
EmbeddedState::Counters EmbeddedState::carry_counters_to(const Database& next) const {
  const DateTime mark{static_cast<std::int64_t>(read_number(next, kClockKey).value_or(0))};
  const Counters out{std::max(next_table_id_, read_number(next, kNextTableIdKey).value_or(1)),
                     std::max(clock_->mark(), mark)};
  rocksdb::WriteBatch batch;
  const auto put = [&](std::string_view key, std::uint64_t number) {
    check(batch.Put(next.catalog(), slice(key), slice(encode_number(number))));
  };
  put(kNextTableIdKey, out.next_table_id);
  put(kClockKey, static_cast<std::uint64_t>(out.clock_mark.ticks));
  put_new_contents_id(next, batch);
  rocksdb::WriteOptions options = write_options_;
  options.sync = !options_.in_memory;
  check(next.db().Write(options, &batch));
  return out;
}

// `next` is open in the folder `staged`.
void EmbeddedState::exchange_database(std::unique_ptr<Database> next, const std::string& staged) {
  if (!options_.in_memory) recovery_.prepare();
  Gate::Closed alone(gate_, kDrainTime);
  columns_.clear();  // sequence numbers of another database have nothing in common with those of this one
  const Counters counters = carry_counters_to(*next);
  if (options_.in_memory) {
    database_ = std::move(next);
    directory_ = staged;
  } else {
    replace_on_disk(alone, std::move(next), staged);
  }
  next_table_id_ = counters.next_table_id;
  first_table_id_ = 1;
  clock_->pass(counters.clock_mark);
  catalog_cache_.clear();
  take_contents_id();
  try {
    sweep_reserved_tables();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the next start sweeps them
  }
}

// Closes both databases, exchanges their folders and opens the new one. If it throws, the former store is
// open, or the store is not available.
void EmbeddedState::replace_on_disk(Gate::Closed& alone, std::unique_ptr<Database> next, const std::string& staged) {
  next.reset();
  database_.reset();
  try {
    swap_folders(staged, directory_);
    is_displaced_ = true;
    sync_entries(env_, std::filesystem::path(directory_).parent_path().string());
    database_ = open(directory_, false);
    is_displaced_ = false;
  } catch (const std::exception&) {
    try {
      reopen_former_store();
    } catch (const std::exception& fault) {
      alone.leave_closed();
      recovery_.begin(fault.what());
      warn("a restore failed, and the store cannot be reopened: " + std::string(fault.what()) +
           "; retrying every second for at most " +
           std::to_string(std::chrono::ceil<std::chrono::seconds>(options_.reopen_timeout).count()) + " s");
    }
    throw;
  }
}

// Moves the former store back to its place after a failed exchange.
void EmbeddedState::move_former_store_back() {
  std::error_code error;
  finish_interrupted_swap(directory_, error);
  if (!is_displaced_) return;
  swap_folders(staging_folder(), directory_);
  is_displaced_ = false;
  sync_entries(env_, std::filesystem::path(directory_).parent_path().string());
}

void EmbeddedState::reopen_former_store() {
  move_former_store_back();
  database_ = open_home(false);
}

// One attempt of recovery_, on its thread. Throws if the store cannot be opened yet.
void EmbeddedState::recover() {
  const std::lock_guard lock(snapshots_mutex_);
  reopen_former_store();
  gate_.open_again();
  warn("the store was reopened after the failed restore");
  try_to_remove(staging_folder());  // the copy of the snapshot
}

}  // namespace rocktable
