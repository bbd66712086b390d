#include "client/report/data_lint.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/uri.h"
#include "odata/insight/near_limits.h"
#include "odata/insight/shown_key.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxShownProperties = 5;
constexpr std::size_t kMinDigitsOfTime = 4;  // of a year, or of ticks

// `orders(PartitionKey='de',RowKey='1')`, as in a URL
std::string address_of(const std::string& table, const EntityKey& key) {
  const auto quoted_key = [](std::string_view text) {
    std::string doubled;
    for (const char c : text) doubled.append(c == '\'' ? 2 : 1, c);
    return "'" + percent_encode(doubled) + "'";
  };
  return table + "(PartitionKey=" + quoted_key(key.partition_key) + ",RowKey=" + quoted_key(key.row_key) + ")";
}

bool begins_with_time(std::string_view key) {
  return key.size() >= kMinDigitsOfTime &&
         std::all_of(key.begin(), key.begin() + kMinDigitsOfTime, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_share(std::uint64_t part, std::uint64_t all, double least) {
  return static_cast<double>(part) >= least * static_cast<double>(all);
}

}  // namespace

void DataLint::add(const Entity& entity) {
  if (rows_ == 0 || entity.key.partition_key != partition_) {
    end_partition();
    partition_ = entity.key.partition_key;
    rows_ = 0;
    first_written_ = entity.timestamp;
    partition_numbers_.add(partition_);
  }
  ++rows_;
  first_written_ = std::min(first_written_, entity.timestamp);
  row_numbers_.add(entity.key.row_key);
  const std::size_t size = entity_size(entity.key, entity.properties);
  ++out_.stored.entities;
  out_.stored.bytes += size;
  note_types(entity.properties);
  note_limits(entity, size);
}

void DataLint::end_partition() {
  if (rows_ == 0) return;
  ++out_.stored.partitions;
  if (rows_ == 1) ++single_;
  if (rows_ > max_rows_) {
    max_rows_ = rows_;
    largest_ = partition_;
  }
  if (!begins_with_time(partition_)) return;
  if (numbered_++ > 0 && first_written_ > previous_written_) ++later_;
  if (numbered_ > 1 && first_written_ < previous_written_) ++earlier_;
  previous_written_ = first_written_;
}

void DataLint::note_types(const Properties& properties) {
  for (const Property& property : properties) {
    auto found = types_.find(property.name);
    if (found == types_.end()) {
      if (types_.size() == kMaxNames) continue;
      found = types_.emplace(property.name, TypeCounts{}).first;
    }
    ++found->second[property.value.index()];
  }
}

void DataLint::note_limits(const Entity& entity, std::size_t size) {
  std::string what;
  if (size >= kManyEntityBytes) {
    what = with_commas(size) + " of " + with_commas(kMaxEntityBytes) + " bytes";
  } else if (entity.properties.size() >= kManyProperties) {
    what = std::to_string(entity.properties.size()) + " of " + std::to_string(kMaxProperties) + " properties";
  } else {
    // UTF-8 of n bytes has at most n code units, so only longer keys are counted.
    for (const std::string* key : {&entity.key.partition_key, &entity.key.row_key})
      if (what.empty() && key->size() >= kLongKey && utf16_length(*key) >= kLongKey)
        what =
            "a key with " + std::to_string(utf16_length(*key)) + " of " + std::to_string(kMaxKeyLength) + " characters";
  }
  if (what.empty() || near_limits_++ > 0) return;
  nearest_ = what;
  nearest_example_ = address_of(out_.stored.table, entity.key);
}

void DataLint::add_finding(std::string_view id, std::uint64_t count, std::string sentence, std::string example) {
  Finding finding;
  finding.id = id;
  finding.table = out_.stored.table;
  finding.count = count;
  finding.sentence = std::move(sentence);
  finding.example = std::move(example);
  out_.findings.push_back(std::move(finding));
}

TableData DataLint::finish(bool is_complete) {
  end_partition();
  rows_ = 0;
  out_.stored.is_complete = is_complete;
  find_large_partition();
  find_small_partitions();
  find_appended_keys();
  find_unpadded_numbers();
  find_mixed_types();
  if (near_limits_ > 0)
    add_finding("near-limits", near_limits_,
                counted(near_limits_, "entity is", "entities are") +
                    " near a limit of the service, the first one with " + nearest_ + ".",
                nearest_example_);
  return std::move(out_);
}

void DataLint::find_large_partition() {
  if (max_rows_ < kMinLargePartition || !is_share(max_rows_, out_.stored.entities, kMinShareOfLargePartition)) return;
  add_finding("large-partition", max_rows_,
              "The partition " + shown_key(largest_) + " has " + with_commas(max_rows_) + " of " +
                  counted(out_.stored.entities, "entity", "entities") + ".");
}

void DataLint::find_small_partitions() {
  if (single_ < kMinSmallPartitions || !is_share(single_, out_.stored.partitions, kMinShareOfSmallPartitions)) return;
  add_finding("small-partitions", single_,
              with_commas(single_) + " of " + counted(out_.stored.partitions, "partition", "partitions") +
                  " have one entity each.");
}

void DataLint::find_appended_keys() {
  const std::uint64_t appended = std::max(later_, earlier_);
  // Most keys begin with a number, and their order is that of the times at which they were written.
  if (appended < kMinAppended || !is_share(numbered_, out_.stored.partitions, kMinShareOfAppended) ||
      !is_share(appended, numbered_ - 1, kMinShareOfAppended))
    return;
  add_finding("append-only-keys", appended,
              counted(appended, "partition was", "partitions were") + " written " +
                  (appended == later_ ? "after" : "before") +
                  " the one before it in the order of keys: all new entities go to one end of the table.");
}

void DataLint::find_unpadded_numbers() {
  for (const auto& [name, numbers] :
       {std::pair("PartitionKeys", &partition_numbers_), std::pair("RowKeys", &row_numbers_)})
    if (const auto evidence = numbers->unpadded())
      add_finding("unpadded-numbers", evidence->count,
                  std::string(name) + " end in numbers without leading zeros: " + evidence->subject +
                      " are in the wrong order.");
}

void DataLint::find_mixed_types() {
  std::uint64_t mixed = 0, entities = 0;
  std::string shown;
  for (const auto& [name, counts] : types_) {
    const auto kinds = std::count_if(counts.begin(), counts.end(), [](std::uint64_t count) { return count > 0; });
    if (kinds < 2) continue;
    std::uint64_t all = 0;
    std::vector<std::pair<std::uint64_t, std::string>> types;
    for (int type = 0; type < kEdmTypeCount; ++type) {
      const std::uint64_t count = counts[static_cast<std::size_t>(type)];
      all += count;
      if (count > 0) types.emplace_back(count, to_string(static_cast<EdmType>(type)));
    }
    std::sort(types.rbegin(), types.rend());
    entities += all - types.front().first;
    if (++mixed > kMaxShownProperties) continue;
    std::string list;
    for (const auto& [count, type] : types)
      list.append(list.empty() ? "" : ", ").append(type).append(" in ").append(with_commas(count));
    shown.append(shown.empty() ? "" : "; ").append("`").append(name).append("`: ").append(list);
  }
  if (mixed == 0) return;
  add_finding("mixed-types", entities,
              counted(mixed, "property has", "properties have") + " several types: " + shown +
                  (mixed > kMaxShownProperties ? "; and others." : "."));
}

}  // namespace rocktable
