#include "server/monitor/request_ring.h"

#include <algorithm>
#include <mutex>

namespace rocktable {

static_assert(kMaxRecordBytes <= RequestRing::kSegmentBytes);
static_assert(RequestRing::kThreads * RequestRing::kSegmentBytes <= RequestRing::kLeastBytes);

namespace {

void add_records(const RequestRing::Segment& segment, std::size_t used, std::uint64_t first,
                 std::vector<const RequestRecord*>& out) {
  for (const char *at = segment.bytes.get(), *const end = at + used; at != end;) {
    const auto* const record = reinterpret_cast<const RequestRecord*>(at);
    if (record->number >= first) out.push_back(record);
    at += record->size;
  }
}

}  // namespace

std::uint64_t RequestRing::add(const RequestEvent& event, bool with_bodies) {
  const RecordSource source(event, with_bodies);
  Shard& shard = shards_.of_this_thread();
  const std::lock_guard lock(shard.lock);
  if (shard.open == nullptr || kSegmentBytes - shard.open->used < source.size()) open_next(shard);
  // Numbers are taken under the lock: who reads next_ and then takes the lock finds all records below it.
  const std::uint64_t number = next_.fetch_add(1, std::memory_order_relaxed);
  Segment& segment = *shard.open;
  source.write(segment.bytes.get() + segment.used, number);
  segment.used += source.size();
  segment.last = number;
  return number;
}

void RequestRing::open_next(Shard& shard) {
  auto segment = std::make_shared<Segment>();
  segment->bytes = std::make_unique_for_overwrite<char[]>(kSegmentBytes);
  std::shared_ptr<const Segment> oldest;  // freed without the lock
  const std::lock_guard lock(full_mutex_);
  if (shard.open) full_.push_back(std::move(shard.open));
  if (segments_ == max_segments_ && !full_.empty()) {
    oldest = std::move(full_.front());
    full_.pop_front();
    dropped_ = std::max(dropped_, oldest->last);
  } else {
    ++segments_;
  }
  shard.open = std::move(segment);
}

RequestRing::Kept RequestRing::since(std::uint64_t first) const {
  Kept out{.oldest = 0, .next = next(), .records = {}, .segments = {}};
  std::vector<std::size_t> used;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.lock);
    if (shard.open == nullptr || shard.open->last < first) continue;
    out.segments.push_back(shard.open);
    used.push_back(shard.open->used);
  }
  {
    const std::lock_guard lock(full_mutex_);
    const auto open = out.segments;  // some may be full by now
    for (const auto& segment : full_) {
      if (segment->last < first || std::ranges::find(open, segment) != open.end()) continue;
      out.segments.push_back(segment);
      used.push_back(segment->used);
    }
    out.oldest = dropped_ + 1;
  }
  first = std::max(first, out.oldest);
  for (std::size_t i = 0; i < out.segments.size(); ++i) add_records(*out.segments[i], used[i], first, out.records);
  std::erase_if(out.records, [&](const RequestRecord* record) { return record->number >= out.next; });
  std::ranges::sort(out.records, {}, &RequestRecord::number);
  return out;
}

void RequestRing::clear() {
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.lock);
    const std::lock_guard full_lock(full_mutex_);
    if (shard.open) --segments_;
    shard.open = nullptr;
  }
  const std::lock_guard lock(full_mutex_);
  segments_ -= full_.size();
  full_.clear();
  dropped_ = std::max(dropped_, next() - 1);
}

}  // namespace rocktable
