#include "server/insight/shape_table.h"

#include <algorithm>
#include <atomic>

namespace rocktable {
namespace {

constexpr std::string_view kBeyond = "*";

// Whether the shapes are the same. Fast, and false in rare cases where they are: constants are compared by address.
bool is_surely(const QueryShape& known, const QueryShapeView& shape) {
  return known.operation.data() == shape.operation.data() && known.plan.data() == shape.plan.data() &&
         known.table == shape.table && known.account == shape.account && known.client == shape.client &&
         known.fingerprint == shape.fingerprint && known.select == shape.select && known.test == shape.test;
}

std::size_t bytes_of(const QueryShape& shape) {
  return sizeof(QueryShape) + sizeof(ShapeSums) + shape.bytes() + kMaxExample;
}

}  // namespace

void ShapeSums::add(const ShapeSample& sample) {
  if (requests == 0) first = sample.time;
  last = std::max(last, sample.time);
  if (requests == 0 || sample.entities_scanned > 2 * example_scanned) {
    example = example_of(sample.method, sample.target);
    example_scanned = sample.entities_scanned;
  }
  ++requests;
  errors += sample.status >= 400 ? 1 : 0;
  not_found += sample.status == 404 ? 1 : 0;
  conflicts += sample.status == 409 ? 1 : 0;
  preconditions_failed += sample.status == 412 ? 1 : 0;
  continuations += sample.continues ? 1 : 0;
  is_wider_in_cloud = is_wider_in_cloud || sample.is_wider_in_cloud;
  unbilled += sample.is_billed ? 0 : 1;
  uncounted += sample.counts_entities ? 0 : 1;
  entities_scanned += sample.entities_scanned;
  entities_scanned_here += sample.entities_scanned_here;
  most_scanned = std::max(most_scanned, sample.entities_scanned);
  entities_returned += sample.entities_returned;
  entities_written += sample.entities_written;
  bytes_read += sample.bytes_read;
  bytes_sent += sample.bytes_sent;
  durations.add(sample.duration);
  if (sample.partition != 0) partitions.add(sample.partition);
  max_partitions = std::max(max_partitions, sample.partitions);
}

void ShapeSums::add(const ShapeSums& other) {
  if (other.requests == 0) return;
  if (requests == 0 || other.example_scanned > example_scanned) {
    example = other.example;
    example_scanned = other.example_scanned;
  }
  first = requests == 0 ? other.first : std::min(first, other.first);
  last = std::max(last, other.last);
  requests += other.requests;
  errors += other.errors;
  not_found += other.not_found;
  conflicts += other.conflicts;
  preconditions_failed += other.preconditions_failed;
  continuations += other.continuations;
  is_wider_in_cloud = is_wider_in_cloud || other.is_wider_in_cloud;
  unbilled += other.unbilled;
  uncounted += other.uncounted;
  entities_scanned += other.entities_scanned;
  entities_scanned_here += other.entities_scanned_here;
  most_scanned = std::max(most_scanned, other.most_scanned);
  entities_returned += other.entities_returned;
  entities_written += other.entities_written;
  bytes_read += other.bytes_read;
  bytes_sent += other.bytes_sent;
  durations.add(other.durations);
  partitions.add(other.partitions);
  max_partitions = std::max(max_partitions, other.max_partitions);
}

// Assigns shards to threads in turn.
ShapeTable::Shard& ShapeTable::shard_of_this_thread() {
  static std::atomic<std::size_t> threads = 0;
  thread_local const std::size_t kNumber = threads++;
  return shards_[kNumber % shards_.size()];
}

// Returns whether the shape fits into the memory, and is known or fits into the number. Called once per shard and
// shape.
bool ShapeTable::may_add(std::size_t hash, std::size_t bytes) {
  const std::lock_guard lock(known_mutex_);
  if (bytes_ + bytes > kMaxBytes) return false;
  if (known_.size() < kMaxShapes) known_.insert(hash);
  if (!known_.contains(hash)) return false;
  bytes_ += bytes;
  return true;
}

void ShapeTable::add(const QueryShapeView& shape, const ShapeSample& sample) {
  Shard& shard = shard_of_this_thread();
  const std::lock_guard lock(shard.mutex);
  if (shard.last != nullptr && is_surely(shard.last->first, shape)) return shard.last->second.add(sample);
  auto found = shard.shapes.find(shape);
  if (found == shard.shapes.end()) {
    QueryShape owned(shape);
    if (!may_add(hash_of(shape), bytes_of(owned))) return add_beyond(shard, shape, sample);
    found = shard.shapes.emplace(std::move(owned), ShapeSums()).first;
  }
  shard.last = &*found;
  found->second.add(sample);
}

// Operations and plans are few. Accounts may be many.
void ShapeTable::add_beyond(Shard& shard, const QueryShapeView& shape, const ShapeSample& sample) {
  ++shard.beyond_limit;
  QueryShape other;
  other.account = other.table = other.fingerprint = kBeyond;
  other.operation = shape.operation;
  other.plan = shape.plan;
  shard.shapes[std::move(other)].add(sample);
}

ShapeTable::Statistics ShapeTable::all(std::string_view account) const {
  Statistics out;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [shape, statistics] : shard.shapes) {
      if (!account.empty() && shape.account != account) continue;
      auto& [known, sum] = out[hash_of(shape.view())];
      if (sum.requests == 0) known = shape;
      sum.add(statistics);
    }
  }
  return out;
}

std::uint64_t ShapeTable::beyond_limit() const {
  std::uint64_t out = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    out += shard.beyond_limit;
  }
  return out;
}

void ShapeTable::clear(std::string_view account) {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    shard.last = nullptr;
    std::erase_if(shard.shapes, [&](const auto& entry) { return account.empty() || entry.first.account == account; });
    if (account.empty()) shard.beyond_limit = 0;
  }
  std::set<std::size_t> known;
  std::size_t bytes = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    for (const auto& [shape, sums] : shard.shapes) {
      known.insert(hash_of(shape.view()));
      bytes += bytes_of(shape);
    }
  }
  const std::lock_guard lock(known_mutex_);
  known_ = std::move(known);
  bytes_ = bytes;
}

}  // namespace rocktable
