#include "storage/rocksdb/table_scan.h"

#include <rocksdb/iterator.h>
#include <rocksdb/metadata.h>
#include <rocksdb/snapshot.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <future>
#include <limits>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "odata/query_plan.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/row_filter.h"

namespace rocktable {
namespace {

// A stretch of a table that a second thread reads. Matches are copied, because only the caller's thread may
// call the visitor.
struct Stretch {
  struct Found {
    std::string key, record;
  };

  bool complete = false;  // false: given up or too many matches; discard the result
  std::uint64_t entities = 0, bytes = 0, found_bytes = 0;
  std::vector<Found> found;
};

// Limits on the copies. With more matches, the page is about to be full, and copying does not pay.
constexpr std::size_t kMaxFound = 1000;
constexpr std::size_t kMaxFoundBytes = 1 << 20;

Stretch read_stretch(rocksdb::Iterator& rows, std::string_view begin, std::string_view end, const Filter& filter,
                     const std::atomic<bool>& given_up) {
  Stretch out;
  RowFilter row_filter(&filter);
  for (rows.Seek(slice(begin)); rows.Valid() && view(rows.key()) < end; rows.Next()) {
    const std::string_view key = view(rows.key()), record = view(rows.value());
    ++out.entities;
    out.bytes += key.size() + record.size();
    if (out.entities % 64 == 0 && given_up) return {};
    if (!row_filter.may_match(record) || !row_filter.matches(key, record)) continue;
    out.found.push_back({std::string(key), std::string(record)});
    out.found_bytes += key.size() + record.size();
    if (out.found.size() == kMaxFound || out.found_bytes > kMaxFoundBytes) return {};
  }
  out.complete = rows.status().ok();
  return out;
}

// The second thread. The destructor stops it and waits for it.
class Helper {
 public:
  // All arguments must outlive the helper.
  Helper(rocksdb::Iterator& rows, const std::string& begin, const std::string& end, const Filter& filter)
      : stretch_(std::async(std::launch::async, [this, &rows, &begin, &end, &filter] {
          return read_stretch(rows, begin, end, filter, given_up_);
        })) {}
  ~Helper() { given_up_ = true; }  // the destructor of the future waits
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  void give_up() { given_up_ = true; }
  bool is_done() const { return stretch_.wait_for(std::chrono::milliseconds(1)) == std::future_status::ready; }
  // Ignores faults: the caller's thread reads the stretch again and meets them.
  Stretch result() {
    try {
      return stretch_.get();
    } catch (const std::exception&) {
      return {};
    }
  }

 private:
  std::atomic<bool> given_up_ = false;
  std::future<Stretch> stretch_;
};

class Counted {
 public:
  explicit Counted(std::atomic<int>& count) : count_(count) { ++count_; }
  ~Counted() { --count_; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

 private:
  std::atomic<int>& count_;
};

class Scan {
 public:
  Scan(const ScanContext& context, const ScanRequest& request)
      : db_(context.db),
        entities_(context.entities),
        long_scans_(context.long_scans),
        gate_(context.gate),
        memo_(context.memo),
        table_(request.table),
        page_size_(static_cast<std::size_t>(request.scan.page_size)),
        deadline_(request.scan.deadline),
        visit_(request.scan.visit),
        filter_(request.scan.filter),
        is_full_(request.scan.is_full),
        table_exists_(request.table_exists),
        stats_(request.stats),
        row_filter_(request.scan.filter) {}

  Result<std::optional<EntityKey>> run(const KeyRanges& ranges) {
    if (ranges.empty()) return std::optional<EntityKey>();
    // A single read sees one snapshot anyway.
    if (ranges.size() > 1 || (filter_ != nullptr && classify(ranges.front()) >= PlanClass::PartitionScan)) {
      snapshot_.emplace(&db_);
      options_.snapshot = snapshot_->snapshot();
    }
    end_ = end_of(ranges.back());
    end_slice_ = slice(end_);
    for (const auto& range : ranges) {
      ++stats_.ranges;
      if (!(is_single_key(range) ? look_up(range.begin) : iterate(range))) break;
    }
    if (is_torn()) return Error(ErrorCode::ServerBusy);
    return resume_;
  }

 private:
  using SteadyClock = std::chrono::steady_clock;

  static constexpr std::size_t kLongScanBytes = 1 << 20;
  static constexpr std::size_t kReadAheadBytes = 256 << 10;
  static constexpr std::uint64_t kCachedScanBytes = 16 << 20;      // an eighth of the block cache
  static constexpr std::chrono::microseconds kYieldThreshold{50};  // `progress` takes far less unless it sleeps
  static constexpr std::chrono::milliseconds kUndisturbed{10};

  std::string end_of(const KeyRange& range) const {
    return range.end ? encode_bound(table_, *range.end) : encode_table_end(table_);
  }

  // Returns whether rows may be missing. Deleting a table drops whole files, including rows that a snapshot
  // would show. No row is missing if the table still exists, or if it existed when the iterator was created.
  bool is_torn() const { return snapshot_ && (looked_up_ || !rows_are_whole_) && !table_exists_(); }

  bool look_up(const EntityKey& key) {
    looked_up_ = true;
    const std::string encoded = encode_entity_key(table_, key.partition_key, key.row_key);
    rocksdb::PinnableSlice record;
    const auto status = db_.Get(options_, entities_, slice(encoded), &record);
    if (status.IsNotFound()) return true;
    check(status);
    return offer(encoded, view(record));
  }

  bool iterate(const KeyRange& range) {
    if (!rows_) open(range);
    const std::string begin = encode_bound(table_, range.begin), end = end_of(range);
    if (snapshot_ && row_filter_.part()) return iterate_with_memo(begin, end);
    return iterate_rows(begin, end);
  }

  bool iterate_rows(const std::string& begin, const std::string& end) {
    rows_->Seek(slice(begin));
    if (filter_ == nullptr || !snapshot_) return offer_until(end);
    if (!offer_until(end, kLongScanBytes)) return false;
    return !is_before(end) || offer_rest(end);
  }

  // Visits the rows that a column has, then the others.
  bool iterate_with_memo(const std::string& begin, const std::string& end) {
    const ColumnScan scan{table_, row_filter_.part()->property(), begin, end,
                          snapshot_->snapshot()->GetSequenceNumber()};
    ColumnMemo::Use memo = memo_.begin_scan(scan);
    if (memo.column != nullptr && !offer_column(*memo.column, begin)) return false;
    if (memo.column != nullptr && memo.column->is_complete) return true;
    const bool makes_column = memo.maker != nullptr;
    const auto scanned_before = stats_.entities_scanned;
    maker_ = std::move(memo.maker);
    const bool go_on = iterate_rows(memo.column != nullptr ? memo.column->covered_to : begin, end);
    if (maker_ != nullptr && !is_torn()) maker_->finish(go_on ? std::string_view(end) : view(rows_->key()), go_on);
    maker_.reset();
    if (!makes_column) memo_.end_scan(scan, stats_.entities_scanned - scanned_before);
    return go_on;
  }

  // Reads only the rows that may match.
  bool offer_column(const Column& column, std::string_view begin) {
    constexpr std::size_t kFewRows = 8;   // so many steps of an iterator cost less than a seek
    std::size_t distance = kFewRows + 1;  // from the iterator's row to this one
    auto [block_index, row] = column.lower_bound(begin);
    for (; block_index < column.blocks.size(); ++block_index, row = 0) {
      const ColumnBlock& block = *column.blocks[block_index];
      for (; row < block.rows(); ++row, ++distance) {
        if (page_ends()) {
          block.key(row, column_key_);
          end_page_before(column_key_);
          return false;
        }
        count(block.row_bytes(row));
        if (!row_filter_.part()->may_match(block.value(row))) continue;
        block.key(row, column_key_);
        if (!go_to(column_key_, distance <= kFewRows ? distance : 0)) return false;
        distance = 0;
        visit(column_key_, view(rows_->value()));
      }
    }
    return true;
  }

  // Moves the iterator to a row: by so many steps if that is known, else by its key. Returns false if the row is not
  // there, because the table was deleted before the iterator was opened.
  bool go_to(std::string_view key, std::size_t steps) {
    if (steps == 0) rows_->Seek(slice(key));
    for (; steps > 0 && rows_->Valid(); --steps) rows_->Next();
    check(rows_->status());
    if (rows_->Valid() && view(rows_->key()) == key) return true;
    if (table_exists_()) throw std::runtime_error("a column of a scan has a row that the table does not have");
    rows_are_whole_ = false;
    return false;
  }

  // Opens one iterator for all ranges. Blocks of a large scan do not go into the cache: they would evict those
  // of point reads.
  void open(const KeyRange& first) {
    options_.fill_cache = classify(first) == PlanClass::RowRange || is_small(first);
    options_.iterate_upper_bound = &end_slice_;
    rows_.reset(db_.NewIterator(options_, entities_));
    rows_are_whole_ = snapshot_ && table_exists_();
  }

  bool is_small(const KeyRange& first) const {
    const std::string begin = encode_bound(table_, first.begin);
    const rocksdb::Range range(slice(begin), end_slice_);
    std::uint64_t bytes = 0;
    check(db_.GetApproximateSizes(rocksdb::SizeApproximationOptions(), entities_, &range, 1, &bytes));
    return bytes <= kCachedScanBytes;
  }

  // Loads the row after the next one into the processor's cache, as far as a filter needs it. Most rows of a block
  // or a memtable are at equal distances. A wrong address has no effect.
  void prefetch_next(std::string_view record) {
    const auto here = std::bit_cast<std::uintptr_t>(record.data());
    const std::uintptr_t distance = here - last_record_;
    last_record_ = here;
    constexpr std::uintptr_t kLine = 64;  // bytes
    const std::uintptr_t key = here + 2 * distance - kLine;
    for (std::uintptr_t line = 0; line < 4; ++line) __builtin_prefetch(std::bit_cast<const char*>(key + line * kLine));
  }

  bool is_before(std::string_view end) const { return rows_->Valid() && view(rows_->key()) < end; }

  // Stops early once the scan has read `bytes`.
  bool offer_until(std::string_view end, std::size_t bytes = std::numeric_limits<std::size_t>::max()) {
    const bool iterator_ends_there = end == end_;
    const auto is_within = [&] { return iterator_ends_there ? rows_->Valid() : is_before(end); };
    for (; is_within() && bytes_ < bytes; rows_->Next()) {
      const std::string_view key = view(rows_->key()), record = view(rows_->value());
      prefetch_next(record);
      if (!offer(key, record)) return false;
    }
    check(rows_->status());
    return true;
  }

  // Visits the rest of a range that turned out to be long.
  bool offer_rest(const std::string& end) {
    const Counted counted(long_scans_);
    reopen();
    const std::vector<std::string> borders = borders_up_to(end);
    for (std::size_t i = 0; i < borders.size(); ++i) {
      std::optional<Helper> helper;
      if (i + 1 < borders.size() && may_share()) helper.emplace(*helper_rows_, borders[i], borders[i + 1], *filter_);
      helper_ = helper ? &*helper : nullptr;
      const bool go_on = offer_until(borders[i]);
      const bool taken = go_on && helper_ != nullptr && visit_found(*helper_);
      helper_ = nullptr;
      if (!go_on) return false;
      if (resume_) return false;  // the page ended with a match of the helper
      if (taken) rows_->Seek(slice(borders[++i]));
    }
    return true;
  }

  // Continues at the same row with two iterators that read ahead. Read-ahead saves system calls in long scans
  // and slows down short ones. If the table was deleted meanwhile, keeps the old iterator: only an iterator
  // that is already open still sees the rows.
  void reopen() {
    if (helper_rows_) return;
    rocksdb::ReadOptions options = options_;
    options.readahead_size = kReadAheadBytes;
    std::unique_ptr<rocksdb::Iterator> rows(db_.NewIterator(options, entities_));
    std::unique_ptr<rocksdb::Iterator> helper_rows(db_.NewIterator(options, entities_));
    if (!table_exists_()) return;
    rows->Seek(rows_->key());
    rows_ = std::move(rows);
    helper_rows_ = std::move(helper_rows);
  }

  // Returns the first keys of the files between the current row and `end`, in order; then `end`.
  std::vector<std::string> borders_up_to(const std::string& end) const {
    rocksdb::ColumnFamilyMetaData files;
    db_.GetColumnFamilyMetaData(entities_, &files);
    std::vector<std::string> borders = {end};
    if (!rows_->Valid()) return borders;
    for (const auto& level : files.levels)
      for (const auto& file : level.files)
        if (file.smallestkey > view(rows_->key()) && file.smallestkey < end) borders.push_back(file.smallestkey);
    std::sort(borders.begin(), borders.end());
    borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
    return borders;
  }

  bool may_share() const {
    return helper_rows_ && maker_ == nullptr && long_scans_ == 1 && std::thread::hardware_concurrency() > 1 &&
           SteadyClock::now() - yielded_at_ > kUndisturbed;
  }

  // Visits what the helper found. Returns false if the caller's thread must read the stretch itself, or if
  // the page is full.
  bool visit_found(Helper& helper) {
    while (!helper.is_done())
      if (is_over()) helper.give_up();
    const Stretch stretch = helper.result();
    const bool fits = kept_ + stretch.found.size() < page_size_ && kept_bytes_ + stretch.found_bytes < kMaxPageBytes;
    if (!stretch.complete || !fits) return false;
    stats_.entities_scanned += stretch.entities;
    stats_.bytes_read += stretch.bytes;
    for (const auto& [key, record] : stretch.found) {
      if (full_) {
        end_page_before(key);
        return false;
      }
      visit(key, record);
    }
    return true;
  }

  // Returns false if this entity is the first of the next page.
  bool offer(std::string_view key, std::string_view record) {
    if (page_ends()) {
      end_page_before(key);
      return false;
    }
    const std::size_t row_bytes = key.size() + record.size();
    count(row_bytes);
    bytes_ += row_bytes;
    if (maker_ != nullptr ? add_to_column(key, record) : row_filter_.may_match(record)) visit(key, record);
    return true;
  }

  bool page_ends() { return full_ || must_stop(); }

  void end_page_before(std::string_view key) {
    const EntityKeyView names = decode_entity_key(key, scratch_);
    resume_ = EntityKey{std::string(names.partition_key), std::string(names.row_key)};
  }

  void count(std::size_t row_bytes) {
    ++stats_.entities_scanned;
    stats_.bytes_read += row_bytes;
  }

  // Returns whether the row may match.
  bool add_to_column(std::string_view key, std::string_view record) {
    const auto value = row_filter_.value_in(record);
    const bool may_match = row_filter_.part()->may_match(value);
    if (!maker_->add(key, key.size() + record.size(), value, may_match)) maker_.reset();
    return may_match;
  }

  void visit(std::string_view key, std::string_view record) {
    if (!row_filter_.matches(key, record) || !visit_(row_filter_.entity())) return;
    ++kept_;
    kept_bytes_ += key.size() + record.size();
    ++stats_.entities_returned;
    full_ = kept_ == page_size_ || kept_bytes_ >= kMaxPageBytes || (is_full_ && is_full_());
  }

  // Checks at every 64th entity, never before the first one, so that a resumed scan makes progress.
  bool must_stop() { return ++offered_ % 64 == 2 && is_over(); }

  // Returns whether the deadline, the gate or `progress` ends the scan.
  bool is_over() {
    const auto now = SteadyClock::now();
    if (now >= deadline_ || gate_.is_closing()) return true;
    if (!stats_.progress) return false;
    const bool go_on = stats_.progress(stats_);
    const auto then = SteadyClock::now();
    if (then - now > kYieldThreshold) {
      yielded_at_ = then;
      if (helper_ != nullptr) helper_->give_up();
    }
    return !go_on;
  }

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* entities_;
  std::atomic<int>& long_scans_;
  const Gate& gate_;
  ColumnMemo& memo_;
  TableId table_;
  std::size_t page_size_;
  ScanDeadline deadline_;
  const std::function<bool(const EntityView&)>& visit_;
  const Filter* filter_;
  const std::function<bool()>& is_full_;
  const std::function<bool()>& table_exists_;
  RequestStats& stats_;

  std::optional<rocksdb::ManagedSnapshot> snapshot_;
  std::string end_;
  rocksdb::Slice end_slice_;
  rocksdb::ReadOptions options_;
  std::unique_ptr<rocksdb::Iterator> rows_,
      helper_rows_;           // destroyed before the snapshot and the bound that they use
  Helper* helper_ = nullptr;  // null if none is running
  SteadyClock::time_point yielded_at_;
  RowFilter row_filter_;
  std::unique_ptr<ColumnMaker> maker_;  // null if this scan makes no column
  std::string column_key_;
  std::string scratch_;
  std::optional<EntityKey> resume_;
  bool looked_up_ = false;
  bool rows_are_whole_ = false;
  bool full_ = false;  // the page has all that it may have
  std::size_t kept_ = 0;
  std::size_t kept_bytes_ = 0;
  std::size_t bytes_ = 0;  // bytes read by the caller's thread
  unsigned offered_ = 0;
  std::uintptr_t last_record_ = 0;
};

}  // namespace

Result<std::optional<EntityKey>> scan_table(const ScanContext& context, const ScanRequest& request) {
  return Scan(context, request).run(request.scan.ranges);
}

}  // namespace rocktable
