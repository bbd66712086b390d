#include "server/calls/cloud_reads.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <mutex>
#include <utility>

#include "odata/insight/text_hash.h"
#include "storage/table_size.h"

namespace rocktable {
namespace {

constexpr std::chrono::milliseconds kTimeToCount{20};
constexpr std::uint64_t kMaxCountedRemotely = 1'000;  // a shared store sends each of them
constexpr std::uint64_t kCreditOfPage = 8;

// Of the part of a table. Pages other than a query's only one are alike: the next page would count anew.
std::uint64_t hash_of_range(const TableName& name, const KeyRange& range, bool is_part) {
  std::uint64_t out = is_part ? 2 : 1;
  for (const std::string_view text :
       {std::string_view(name.account), std::string_view(name.table), std::string_view(range.begin.partition_key),
        std::string_view(range.begin.row_key)})
    out = joined_hash(out, text_hash(text));
  if (!range.end) return out;
  return joined_hash(joined_hash(out, text_hash(range.end->partition_key)), text_hash(range.end->row_key));
}

}  // namespace

std::uint64_t CloudReads::estimate(const Store& store, const TableName& name, const QueryEntities& query,
                                   const Caller& caller, const std::optional<EntityKey>& next,
                                   std::uint64_t scanned_here) {
  KeyRanges ranges = accessible_ranges(query.cloud->ranges, caller);
  if (query.page_size == 0 || ranges.empty()) return scanned_here;
  const std::uint64_t hash = hash_of_range(name, ranges.front(), next || query.resumes);
  {
    const std::lock_guard lock(mutex_);
    Known& known = known_[hash % known_.size()];
    if (known.range == hash && known.credit < known.entities) {
      known.credit += kCreditOfPage;
      return std::max(known.entities, scanned_here);
    }
  }
  if (query.resumes) ranges = starting_at(std::move(ranges), *query.resumes);
  if (next) ranges = intersect(std::move(ranges), {EntityKey(), next});
  const std::uint64_t limit = store.is_remote() ? kMaxCountedRemotely : kMaxCounted;
  std::uint64_t entities = 0;
  try {
    const auto size = size_of_table(store, name, ranges, limit, std::chrono::steady_clock::now() + kTimeToCount);
    if (!size) return scanned_here;  // the table was deleted meanwhile
    entities = size->entities;
  } catch (const std::exception&) {
    return scanned_here;  // the store answers no more; its answer to the request has come
  }
  const std::lock_guard lock(mutex_);
  known_[hash % known_.size()] = {hash, entities, 0};
  return std::max(entities, scanned_here);
}

}  // namespace rocktable
