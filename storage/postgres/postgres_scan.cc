// Scans: pages of keys, in fetches that are bounded in rows and bytes. A page that needs more than one fetch runs in a
// transaction that sees one snapshot; it ends with the page.
#include <algorithm>
#include <optional>

#include "odata/query_plan.h"
#include "storage/lazy_entity.h"
#include "storage/postgres/database/pg_retry_policy.h"
#include "storage/postgres/entity_rows.h"
#include "storage/postgres/postgres_store.h"
#include "storage/postgres/utf16_key.h"
#include "storage/stop_watch.h"

namespace rocktable {
namespace {

constexpr std::int64_t kFirstFetch = 100;  // rows
constexpr std::int64_t kMaxFetchedRows = 1000;
constexpr std::size_t kFetchBytes = 4 << 20;
constexpr std::chrono::milliseconds kLastFetch{500};  // for the last fetch of a page

bool is_of_one_partition(const KeyRange& range) {
  if (!range.end || range.begin.partition_key.ends_with('\0')) return false;
  std::string_view last = range.end->partition_key;
  if (last.ends_with('\0')) last.remove_suffix(1);
  return last == range.begin.partition_key;
}

class PgScan {
 public:
  PgScan(PgPool& pool, TableId table, const ScanArguments& call, RequestStats& stats)
      : pool_(pool), table_(table), call_(call), stats_(stats) {}

  std::optional<EntityKey> run() {
    // A single fetch is a snapshot by itself.
    in_transaction_ = call_.filter != nullptr || call_.ranges.size() > 1 || call_.page_size > kFirstFetch;
    for (std::size_t i = 0; i < call_.ranges.size() && !resume_;) {
      if (is_single_key(call_.ranges[i])) {
        i += look_up(i);
      } else {
        ++stats_.ranges;
        iterate(call_.ranges[i]);
        ++i;
      }
    }
    if (lease_ && in_transaction_) end_transaction();
    return resume_;
  }

 private:
  using Clock = std::chrono::steady_clock;

  // It only read, so the page is good however it ends.
  void end_transaction() {
    const auto failure = attempt([this] { (*lease_)->run({Statement::Commit}, pool_.deadline()); });
    if (failure) lease_->drop();
  }

  // Looks up consecutive ranges of one key each. Returns how many.
  std::size_t look_up(std::size_t first) {
    std::vector<std::string> keys;
    for (std::size_t i = first; i < call_.ranges.size() && keys.size() < kFirstFetch; ++i) {
      if (!is_single_key(call_.ranges[i])) break;
      const EntityKey& key = call_.ranges[i].begin;
      keys.push_back(utf16_key(table_, key.partition_key, key.row_key));
    }
    stats_.ranges += keys.size();
    PgStep step{Statement::GetMany};
    step.parameters.add(std::span<const std::string>(keys));
    PgRows rows = fetch(step);
    for (int row = 0; row < rows.size(); ++row)
      if (!offer(rows, row)) break;
    return keys.size();
  }

  void iterate(const KeyRange& range) {
    std::string begin = utf16_bound(table_, range.begin);
    const std::string end = range.end ? utf16_bound(table_, *range.end) : utf16_table_end(table_);
    while (true) {
      const std::int64_t limit = next_limit();
      PgStep step{is_of_one_partition(range) ? Statement::RangeInPartition : Statement::Range};
      step.parameters.add(begin).add(end).add(limit);
      PgRows rows = fetch(step);
      for (int row = 0; row < rows.size(); ++row)
        if (!offer(rows, row)) return;
      if (rows.size() < limit) return;
      begin = std::string(rows.bytes(rows.size() - 1, 0)) + std::string(2, '\0');
    }
  }

  // One row more than the page needs: it is the next page's first.
  std::int64_t next_limit() const {
    std::int64_t rows = kFirstFetch + 1;
    if (rows_ > 0) {
      const auto average = std::max<std::uint64_t>(bytes_ / rows_, 1);
      rows = std::clamp<std::int64_t>(static_cast<std::int64_t>(kFetchBytes / average), 1, kMaxFetchedRows + 1);
    }
    return call_.filter != nullptr ? rows : std::min(rows, std::int64_t{call_.page_size} - kept_ + 1);
  }

  // If the connection is lost, reads on another one, from the same key on. That one sees another snapshot.
  PgRows fetch(const PgStep& step) {
    for (PgRetryPolicy retry(pool_.health(), pool_.deadline());;) {
      const bool begins = !lease_ && in_transaction_;
      if (!lease_) lease_.emplace(pool_.take(retry.deadline(), PgUse::Scan));
      std::vector<PgStep> steps;
      if (begins) steps.push_back({Statement::BeginSnapshot});
      steps.push_back(step);
      std::vector<PgRows> rows;
      const auto failure = attempt([&] { rows = (*lease_)->run(steps, retry.deadline()); });
      if (!failure) return std::move(rows.back());
      if (failure->lost()) {
        lease_->drop();
        if (failure->is_of_database()) pool_.health().note_failure(failure->what());
      } else {
        lease_->roll_back();
        if (failure->error()->is_busy()) throw ServiceException(Error(ErrorCode::ServerBusy), failure->what());
        if (!failure->error()->is_conflict() && !failure->error()->is_passing()) failure->raise();
      }
      lease_.reset();
      if (!retry.pause()) throw ServiceException(Error(ErrorCode::ServerBusy), failure->what());
    }
  }

  // Returns false if the page has ended.
  bool offer(PgRows& rows, int row) {
    if (kept_ == call_.page_size || kept_bytes_ >= kMaxPageBytes || full_ || must_stop()) {
      resume_ = decode_utf16_key(rows.bytes(row, 0));
      return false;
    }
    const EntityKey key = decode_utf16_key(rows.bytes(row, 0));
    const std::string_view record = record_with_ticks(rows, row, 1, 2);
    const std::size_t bytes = rows.bytes(row, 0).size() + record.size();
    ++rows_;
    bytes_ += bytes;
    ++stats_.entities_scanned;
    stats_.bytes_read += bytes;
    entity_.reset({key.partition_key, key.row_key}, record);
    if ((call_.filter != nullptr && !matches(*call_.filter, entity_)) || !call_.visit(entity_.view())) return true;
    ++kept_;
    kept_bytes_ += bytes;
    ++stats_.entities_returned;
    full_ = call_.is_full && call_.is_full();
    return true;
  }

  // Looks at the second entity, and then at each 64th: never before the first one, so that a resumed scan makes
  // progress.
  bool must_stop() {
    if (++offered_ % 64 != 2) return false;
    return Clock::now() >= end_ || (stats_.progress && !stats_.progress(stats_));
  }

  PgPool& pool_;
  TableId table_;
  const ScanArguments& call_;
  RequestStats& stats_;
  // Of the page: before the time of the request is over, which waited for its turn, too.
  const Clock::time_point end_ = std::min(call_.deadline, pool_.deadline() - kLastFetch);
  std::optional<PgPool::Lease> lease_;
  bool in_transaction_ = false;
  LazyEntity entity_;
  std::optional<EntityKey> resume_;
  bool full_ = false;
  int kept_ = 0;
  std::size_t kept_bytes_ = 0;
  std::uint64_t rows_ = 0, bytes_ = 0;
  unsigned offered_ = 0;
};

}  // namespace

Result<std::optional<EntityKey>> PostgresStore::scan(const ScanArguments& scan, RequestStats& stats) const {
  const StopWatch watch(stats.storage_time);
  const auto table = find_table(scan.table);
  if (!table) return Error(ErrorCode::TableNotFound);
  return PgScan(pool_, table->id, scan, stats).run();
}

// The database counts the bytes of the first million entities of each range. What is beyond is left out.
std::uint64_t PostgresStore::approximate_bytes(const TableName& name, const KeyRanges& ranges) const {
  constexpr std::int64_t kMaxCounted = 1'000'000;
  const auto table = find_table(name);
  if (!table) return 0;
  std::uint64_t out = 0;
  for (const KeyRange& range : ranges) {
    PgStep step{Statement::RangeBytes};
    step.parameters.add(utf16_bound(table->id, range.begin))
        .add(range.end ? utf16_bound(table->id, *range.end) : utf16_table_end(table->id))
        .add(kMaxCounted);
    out += static_cast<std::uint64_t>(run(Repeats::Read, {std::move(step)})[0].number(0, 0));
  }
  return out;
}

}  // namespace rocktable
