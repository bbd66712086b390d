#include "server/insight/table_activity.h"

#include <algorithm>

#include "base/text.h"
#include "odata/entity.h"
#include "odata/insight/near_limits.h"
#include "odata/insight/text_hash.h"
#include "server/insight/query_shape.h"
#include "server/request/request_notes.h"

namespace rocktable {
namespace {

// Whether the filter of this shape compares a key by `gt`, `ge`, `lt` or `le`. `key` ends in a space.
bool compares_order(std::string_view shape, std::string_view key) {
  for (auto at = shape.find(key); at != shape.npos; at = shape.find(key, at + 1)) {
    const auto op = at + key.size();
    const bool is_whole_name = at == 0 || shape[at - 1] == ' ' || shape[at - 1] == '(';
    if (is_whole_name && op < shape.size() && (shape[op] == 'g' || shape[op] == 'l')) return true;
  }
  return false;
}

}  // namespace

void TableActivity::add(const TableAccess& access) {
  if (access.has_partition) partitions_.add(access.partition, access.partition_key);
  const bool writes = !access.event.notes->writes.empty();
  if (access.is_single) {
    add_single(access, writes);
  } else {
    runs_.interrupt();
  }
  if (!access.is_single || writes) walk_.interrupt();
  if (const auto* const query = std::get_if<QueryEntities>(access.event.operation)) {
    orders_partitions_ = orders_partitions_ || compares_order(query->shape, "PartitionKey ");
    orders_rows_ = orders_rows_ || compares_order(query->shape, "RowKey ");
  }
  if (writes) add_writes(access);
}

void TableActivity::add_single(const TableAccess& access, bool writes) {
  const RequestEvent& event = access.event;
  runs_.add({writes ? AccessRuns::Step::SingleWrite : AccessRuns::Step::PointRead, access.partition, access.row,
             access.partition_key, event.method, event.target, access.client});
  const auto entity = joined_hash(access.partition, access.row);
  const bool is_in_order = event.counts_entities || is_next(event.received);
  if (writes) return repeated_reads_.forget(entity);
  walk_.add({access.partition_key, event.method, event.target, access.client});
  const bool has_found = event.counts_entities ? event.reads.entities_returned > 0 : event.status == 200;
  if (has_found && is_in_order)
    repeated_reads_.add({entity, access.partition_key, access.row_key, event.method, event.target, access.client});
}

bool TableActivity::is_next(DateTime time) {
  constexpr std::int64_t kMinute = 600'000'000;
  if (time.ticks + kMinute < latest_.ticks) {
    repeated_reads_ = {};
    is_in_order_ = false;
  }
  latest_ = std::max(latest_, time);
  return is_in_order_;
}

void TableActivity::add_writes(const TableAccess& access) {
  if (access.is_insert) {
    partition_order_.add(access.partition_key);
    partition_numbers_.add(access.partition_key);
  }
  for (const Mutation& write : access.event.notes->writes) {
    if (access.is_insert && write.kind != WriteKind::Delete) row_numbers_.add(write.row_key);
    check_limits(access, write);
  }
  if (access.is_lost_update && lost_updates_.count++ == 0) {
    lost_updates_.subject = access.partition_key;
    lost_updates_.example = example_of(access.event.method, access.event.target);
    lost_updates_.client = access.client;
  }
}

void TableActivity::check_limits(const TableAccess& access, const Mutation& write) {
  const std::string_view partition_key = access.partition_key, row_key = write.row_key;
  const std::size_t stored = write.properties.bytes().size();  // the entity has at most twice as many bytes
  std::string what;
  if (stored >= kManyEntityBytes / 2) {
    const EntityKey key{std::string(partition_key), write.row_key};
    if (const auto size = entity_size(key, write.properties.decode()); size >= kManyEntityBytes)
      what = with_commas(size) + " bytes";
  }
  if (what.empty() && stored >= kManyProperties && write.properties.count() >= kManyProperties)
    what = std::to_string(write.properties.count()) + " properties";
  if (what.empty() && std::max(partition_key.size(), row_key.size()) >= kLongKey) {
    const auto length = std::max(utf16_length(partition_key), utf16_length(row_key));
    if (length >= kLongKey) what = "a key of " + std::to_string(length) + " characters";
  }
  if (what.empty() || near_limits_.count++ > 0) return;
  near_limits_.subject = what;
  near_limits_.example = example_of(access.event.method, access.event.target);
  near_limits_.client = access.client;
}

std::vector<Observation> TableActivity::observations() const {
  std::vector<Observation> out;
  const auto add = [&](std::string_view id, const std::optional<Evidence>& evidence) {
    if (evidence && evidence->count > 0) out.push_back({id, *evidence});
  };
  add("n-plus-one", runs_.point_reads());
  add("single-writes", runs_.single_writes());
  add("reads-across-partitions", walk_.walks());
  add("repeated-reads", repeated_reads_.most());
  if (lost_updates_.count >= kMinLostUpdates) add("lost-update", lost_updates_);
  add("hot-partition", partitions_.hot());
  add("append-only-keys", partition_order_.one_sided());
  const auto rows = orders_rows_ ? row_numbers_.unpadded() : std::nullopt;
  add("unpadded-numbers", rows || !orders_partitions_ ? rows : partition_numbers_.unpadded());
  add("near-limits", near_limits_);
  if (creations_ >= kMinCreations) add("repeated-create-table", Evidence{creations_, {}, {}, {}});
  return out;
}

}  // namespace rocktable
