// EmbeddedStore::commit(): entity group transactions.
#include <algorithm>
#include <mutex>
#include <shared_mutex>

#include "storage/format/entity_codec.h"
#include "storage/rocksdb/database/rocksdb.h"
#include "storage/rocksdb/embedded_store.h"
#include "storage/rocksdb/format/key_codec.h"
#include "storage/stop_watch.h"

namespace rocktable {

// An entity before a transaction: pinned bytes and views into them.
struct EmbeddedStore::Previous {
  rocksdb::PinnableSlice record;
  std::vector<PropertyView> properties;
  bool exists = false;
  DateTime timestamp;
};

struct EmbeddedStore::WantedRow {
  rocksdb::Slice key;
  std::size_t position;  // index of its write
};

// The keys of the rows that a transaction writes, one after the other.
class EmbeddedStore::RowKeys {
 public:
  // `partition`: the key of the partition's row with an empty row key.
  RowKeys(std::string_view partition, std::span<const Mutation> writes) {
    std::size_t bytes = 0;
    for (const auto& write : writes) bytes += partition.size() + write.row_key.size();
    bytes_.reserve(bytes);
    ends_.reserve(writes.size());
    for (const auto& write : writes) {
      bytes_ += partition;
      append_cesu8(bytes_, write.row_key);
      ends_.push_back(bytes_.size());
    }
  }

  rocksdb::Slice operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return {bytes_.data() + begin, ends_[i] - begin};
  }

  std::size_t bytes() const { return bytes_.size(); }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

// Removes leading keys of `wanted` (ascending) that are not stored. Rows that a transaction inserts are often
// adjacent in a gap between stored rows. One step of an iterator detects this for the price of one or two
// look-ups.
void EmbeddedStore::drop_missing(std::vector<WantedRow>& wanted) const {
  constexpr std::size_t kWorthAnIterator = 8;
  if (wanted.size() < kWorthAnIterator) return;
  const std::string end = std::string(view(wanted.back().key)) + '\0';
  const rocksdb::Slice end_slice = slice(end);
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &end_slice;
  const std::unique_ptr<rocksdb::Iterator> rows(state_.db().NewIterator(options, state_.entities()));
  rows->Seek(wanted.front().key);
  check(rows->status());
  const auto first =
      rows->Valid()
          ? std::lower_bound(wanted.begin(), wanted.end(), rows->key(),
                             [](const WantedRow& row, const rocksdb::Slice& key) { return row.key.compare(key) < 0; })
          : wanted.end();
  wanted.erase(wanted.begin(), first);
}

// Returns one for each write, or none if there is none of the rows.
std::vector<EmbeddedStore::Previous> EmbeddedStore::read_previous(std::span<const Mutation> writes,
                                                                  const RowKeys& keys) const {
  std::vector<Previous> previous;
  std::vector<WantedRow> wanted;
  wanted.reserve(writes.size());
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (needs_previous(writes[i])) wanted.push_back({keys[i], i});
  }
  const auto is_before = [](const WantedRow& a, const WantedRow& b) { return a.key.compare(b.key) < 0; };
  if (!std::is_sorted(wanted.begin(), wanted.end(), is_before)) std::sort(wanted.begin(), wanted.end(), is_before);
  drop_missing(wanted);

  std::vector<rocksdb::Slice> slices;
  slices.reserve(wanted.size());
  for (const auto& row : wanted) slices.push_back(row.key);
  std::vector<rocksdb::PinnableSlice> records(wanted.size());
  std::vector<rocksdb::Status> statuses(wanted.size());
  if (wanted.size() == 1) {
    statuses[0] = state_.db().Get({}, state_.entities(), slices[0], &records[0]);
  } else if (!wanted.empty()) {
    constexpr bool kSorted = true;
    state_.db().MultiGet({}, state_.entities(), wanted.size(), slices.data(), records.data(), statuses.data(), kSorted);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    check(statuses[i]);
    previous.resize(writes.size());
    Previous& found = previous[wanted[i].position];
    found.record = std::move(records[i]);
    found.timestamp = decode_entity(view(found.record), found.properties);
    found.exists = true;
  }
  return previous;
}

CommitResult<DateTime> EmbeddedStore::commit(const TableName& name, std::string_view partition_key,
                                             std::span<const Mutation> writes, RequestStats& stats) {
  const Gate::Pass pass(state_.gate());
  const StopWatch watch(stats.storage_time);
  disable_perf_counters();
  const std::shared_lock table_guard(state_.table_lock(encode_table_key(name.account, name.table)));
  const auto table = state_.find_table(name);
  if (!table) return WriteRefusal{0, ErrorCode::TableNotFound};
  const std::string partition = encode_entity_key(table->id, partition_key, "");
  const std::lock_guard partition_guard(state_.partition_lock(partition));

  const RowKeys keys(partition, writes);
  const std::vector<Previous> previous = read_previous(writes, keys);

  const DateTime timestamp = state_.clock().next();
  constexpr std::size_t kOverhead = 16;  // of a row in the batch, without its bytes
  std::size_t bytes = keys.bytes();
  for (const auto& write : writes) bytes += kRecordHeaderBytes + write.properties.bytes().size() + kOverhead;
  rocksdb::WriteBatch batch(bytes);
  const auto header = encode_record_header(timestamp);
  EncodedProperties scratch;
  for (std::size_t i = 0; i < writes.size(); ++i) {
    std::optional<EntityView> before;
    if (!previous.empty() && previous[i].exists)
      before = EntityView{partition_key, writes[i].row_key, previous[i].timestamp, previous[i].properties};
    const auto after = apply(writes[i], partition_key, before, scratch);
    if (!after) return WriteRefusal{i, after.error()};
    if (const EncodedProperties* const properties = *after) {
      const rocksdb::Slice key = keys[i];
      const rocksdb::Slice record[] = {{header.data(), header.size()}, slice(properties->bytes())};
      check(batch.Put(state_.entities(), {&key, 1}, {record, std::size(record)}));
    } else {
      check(batch.Delete(state_.entities(), keys[i]));
    }
  }
  state_.write(batch);
  return timestamp;
}

}  // namespace rocktable
