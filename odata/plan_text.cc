#include "odata/plan_text.h"

#include "odata/query_plan.h"

namespace rocktable {
namespace {

std::string in_quotes(std::string_view key) {
  std::string out = "'";
  for (const char c : key) out.append(c == '\'' ? 2 : 1, c);
  return out + "'";
}

// `bound` may be the place just after a key, which ends with U+0000 (key_ranges.h).
std::string from(std::string_view bound) {
  if (!bound.ends_with('\0')) return "from " + in_quotes(bound);
  bound.remove_suffix(1);
  return "after " + in_quotes(bound);
}

std::string to(std::string_view bound) {
  if (!bound.ends_with('\0')) return "to before " + in_quotes(bound);
  bound.remove_suffix(1);
  return "to " + in_quotes(bound);
}

std::string describe_partitions(const KeyRange& range) {
  std::string out;
  if (!range.begin.partition_key.empty()) out = from(range.begin.partition_key);
  if (!range.begin.row_key.empty()) out += " (RowKey " + from(range.begin.row_key) + ")";
  if (!range.end) return "PartitionKey " + out;
  out += (out.empty() ? "" : " ") + to(range.end->partition_key);
  if (!range.end->row_key.empty()) out += " (RowKey " + to(range.end->row_key) + ")";
  return "PartitionKey " + out;
}

}  // namespace

std::string describe(const KeyRange& range) {
  const EntityKey& begin = range.begin;
  switch (classify(range)) {
    case PlanClass::Point:
      return "PartitionKey = " + in_quotes(begin.partition_key) + ", RowKey = " + in_quotes(begin.row_key);
    case PlanClass::PartitionScan:
      return "PartitionKey = " + in_quotes(begin.partition_key);
    case PlanClass::RowRange: {
      std::string out = "PartitionKey = " + in_quotes(begin.partition_key) + ", RowKey";
      if (!begin.row_key.empty()) out += " " + from(begin.row_key);
      const bool is_bounded = range.end->partition_key == begin.partition_key;
      return is_bounded ? out + " " + to(range.end->row_key) : out;
    }
    case PlanClass::PartitionRange:
      return describe_partitions(range);
    case PlanClass::TableScan:
      break;
  }
  return "the whole table";
}

}  // namespace rocktable
