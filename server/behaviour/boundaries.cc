#include "server/behaviour/boundaries.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "server/behaviour/seeded_random.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxPartitions = 10'000;

// Finds each partition by one seek to the first key behind the previous one.
Result<std::vector<std::string>> first_partitions(const Store& store, const TableName& table) {
  std::vector<std::string> out;
  KeyRanges rest = all_keys();
  const auto no_deadline = ScanDeadline::max();
  RequestStats unwanted;
  while (out.size() < kMaxPartitions) {
    const std::size_t before = out.size();
    const auto visit = [&](const EntityView& entity) {
      out.emplace_back(entity.partition_key);
      return true;
    };
    const auto scanned =
        store.scan({.table = table, .ranges = rest, .page_size = 1, .deadline = no_deadline, .visit = visit}, unwanted);
    if (!scanned) return scanned.error();
    if (out.size() == before) break;
    rest = starting_at(all_keys(), {out.back() + '\0', ""});
  }
  return out;
}

}  // namespace

Result<std::vector<std::string>> page_boundaries(const Store& store, const TableName& table, std::int64_t count,
                                                 std::int64_t seed) {
  auto partitions = first_partitions(store, table);
  if (!partitions) return partitions.error();
  const std::uint64_t table_seed = seeded_hash(to_lower_ascii(table.table), static_cast<std::uint64_t>(seed));
  std::vector<std::pair<std::uint64_t, std::size_t>> by_hash;
  for (std::size_t i = 1; i < partitions->size(); ++i)
    by_hash.emplace_back(seeded_hash((*partitions)[i], table_seed), i);
  std::sort(by_hash.begin(), by_hash.end());
  by_hash.resize(std::min(by_hash.size(), static_cast<std::size_t>(count)));
  std::sort(by_hash.begin(), by_hash.end(), [](auto a, auto b) { return a.second < b.second; });
  std::vector<std::string> out;
  for (const auto& [hash, place] : by_hash) {
    // No key has a control character, so this is in front of every other partition.
    out.push_back((*partitions)[place - 1] + '\x01');
    out.push_back((*partitions)[place]);  // the next place may need it
  }
  return out;
}

std::optional<EntityKey> cut_at_boundary(KeyRanges& ranges, const std::vector<std::string>& boundaries) {
  if (ranges.empty()) return std::nullopt;
  const std::string& begin = ranges.front().begin.partition_key;
  const auto boundary = std::find_if(boundaries.begin(), boundaries.end(),
                                     [&](const std::string& one) { return compare_utf16(one, begin) > 0; });
  if (boundary == boundaries.end()) return std::nullopt;
  EntityKey place{*boundary, ""};
  if (intersect(ranges, {place, std::nullopt}).empty()) return std::nullopt;
  ranges = intersect(std::move(ranges), {{}, place});
  return place;
}

}  // namespace rocktable
