#include "storage/rocksdb/memo/column_memo.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/platform/memory.h"

namespace rocktable {

ColumnMemo::Use ColumnMemo::begin_scan(const ColumnScan& scan, Clock::time_point now) {
  if (is_empty_.load(std::memory_order_relaxed)) return {};
  std::vector<Entry> dropped;
  const std::lock_guard lock(mutex_);
  if (!agree_on(scan.sequence, dropped)) return {};
  Entry* const entry = find(scan);
  if (entry == nullptr) return {};
  entry->used = now;
  Use out;
  const bool continues = entry->column != nullptr && scan.begin <= entry->column->covered_to;
  if (continues) out.column = entry->column;
  const bool lacks_rows = entry->column == nullptr ? scan.begin == entry->begin : continues && !out.column->is_complete;
  if (entry->scans >= kScansBefore && !entry->is_refused && lacks_rows && !is_making_)
    out.maker = std::make_unique<ColumnMaker>(*this, scan, out.column);
  return out;
}

void ColumnMemo::end_scan(const ColumnScan& scan, std::uint64_t rows, Clock::time_point now) {
  if (rows < kManyRows) return;
  std::vector<Entry> dropped;
  const std::lock_guard lock(mutex_);
  if (!agree_on(scan.sequence, dropped)) return;
  Entry* const entry = find(scan);
  if (entry == nullptr) return add(scan, now, dropped);
  entry->used = now;
  if (scan.begin == entry->begin) ++entry->scans;  // a later page of a query is no query
}

void ColumnMemo::clear() {
  std::vector<Entry> dropped;
  const std::lock_guard lock(mutex_);
  dropped.swap(entries_);
  is_empty_ = true;
  sequence_ = 0;
}

bool ColumnMemo::drop_idle(Clock::time_point now) {
  std::vector<Entry> dropped;
  const std::lock_guard lock(mutex_);
  const auto is_used = [&](const Entry& entry) { return now - entry.used < kIdleTime; };
  const auto idle = std::partition(entries_.begin(), entries_.end(), is_used);
  dropped.assign(std::make_move_iterator(idle), std::make_move_iterator(entries_.end()));
  entries_.erase(idle, entries_.end());
  is_empty_ = entries_.empty();
  return std::ranges::any_of(entries_, [](const Entry& entry) { return entry.column != nullptr; });
}

bool ColumnMemo::agree_on(std::uint64_t sequence, std::vector<Entry>& dropped) {
  if (sequence < sequence_) return false;
  if (sequence > sequence_) dropped.swap(entries_);
  is_empty_ = entries_.empty();
  sequence_ = sequence;
  return true;
}

ColumnMemo::Entry* ColumnMemo::find(const ColumnScan& scan) {
  const auto found = std::ranges::find_if(entries_, [&](const Entry& entry) {
    return entry.table == scan.table && entry.end == scan.end && entry.begin <= scan.begin &&
           entry.property == scan.property;
  });
  return found == entries_.end() ? nullptr : &*found;
}

// Replaces an entry that begins later, and otherwise the one whose last use is longest ago, if it has no column.
void ColumnMemo::add(const ColumnScan& scan, Clock::time_point now, std::vector<Entry>& dropped) {
  Entry entry{.table = scan.table,
              .property = std::string(scan.property),
              .begin = std::string(scan.begin),
              .end = std::string(scan.end),
              .used = now,
              .scans = 1};
  const auto is_part = [&](const Entry& other) {
    return other.table == entry.table && other.end == entry.end && other.property == entry.property;
  };
  auto place = std::ranges::find_if(entries_, is_part);
  if (place == entries_.end() && entries_.size() == kMaxEntries) {
    place = std::ranges::min_element(entries_, {},
                                     [](const Entry& other) { return std::pair(other.column != nullptr, other.used); });
    if (place->column != nullptr) return;
  }
  is_empty_ = false;
  if (place == entries_.end()) {
    entries_.push_back(std::move(entry));
  } else {
    dropped.push_back(std::exchange(*place, std::move(entry)));
  }
}

void ColumnMemo::install(const ColumnScan& scan, const std::shared_ptr<const Column>& base,
                         std::shared_ptr<const Column> column) {
  std::shared_ptr<const Column> former;  // freed without the lock
  const std::lock_guard lock(mutex_);
  if (scan.sequence != sequence_) return;
  Entry* const entry = find(scan);
  if (entry == nullptr || entry->column != base || (base == nullptr && entry->begin != scan.begin)) return;
  former = std::move(entry->column);
  entry->is_refused = column == nullptr;
  if (column == nullptr) return;
  entry->column = std::move(column);
  start_sweeper();
}

void ColumnMemo::count_anew(const ColumnScan& scan) {
  const std::lock_guard lock(mutex_);
  if (scan.sequence != sequence_) return;
  if (Entry* const entry = find(scan)) entry->scans = 0;
}

// If no thread can be started, the columns stay until the next write.
void ColumnMemo::start_sweeper() {
  if (is_sweeping_) return;
  try {
    sweeper_ = StoppableThread([this](StopSignal& stop) { sweep(stop); });
    is_sweeping_ = true;
  } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): see above
  }
}

void ColumnMemo::sweep(StopSignal& stop) {
  constexpr auto kInterval = kIdleTime / 4;
  while (!stop.wait_for(kInterval)) {
    const bool has_columns = drop_idle(Clock::now());
    if (has_columns) continue;
    return_free_memory();  // the heap would keep what was freed
    const std::lock_guard lock(mutex_);
    if (std::ranges::any_of(entries_, [](const Entry& entry) { return entry.column != nullptr; })) continue;
    is_sweeping_ = false;
    return;
  }
}

ColumnMaker::ColumnMaker(ColumnMemo& memo, const ColumnScan& scan, std::shared_ptr<const Column> base)
    : memo_(memo),
      property_(scan.property),
      begin_(scan.begin),
      end_(scan.end),
      scan_{scan.table, property_, begin_, end_, scan.sequence},
      base_(std::move(base)),
      writer_(memo.budget_, base_.get()) {
  memo_.is_making_ = true;
}

bool ColumnMaker::add(std::string_view key, std::size_t row_bytes, const std::optional<ValueView>& value,
                      bool may_match) {
  ++rows_;
  matches_ += may_match ? 1 : 0;
  if (rows_ == kSampleRows && saves_little()) {
    memo_.count_anew(scan_);
    return false;
  }
  if (writer_.add(key, row_bytes, value)) return true;
  memo_.install(scan_, base_, nullptr);
  return false;
}

void ColumnMaker::finish(std::string_view covered_to, bool is_complete) {
  if (saves_little()) return memo_.count_anew(scan_);
  memo_.install(scan_, base_, writer_.finish(covered_to, is_complete));
}

}  // namespace rocktable
