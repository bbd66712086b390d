// Computes the keys that a filter can match, by interval arithmetic on the plane of (PartitionKey, RowKey).
//
// The literals of the filter cut each axis into pieces. Cuts are numbered in key order, so that strings are
// compared only once, to sort the literals. All later steps work on sets of small integers. A Region is such
// a set of keys.
#include "odata/key_ranges.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "base/text.h"

namespace rocktable {
namespace {

// A region has at most about this many intervals of row keys. Beyond this limit it becomes wider instead of
// longer.
constexpr std::size_t kMaxRowIntervals = 16'384;
// The limit of steps for the whole computation: some hundredths of a second, and a hundred times what 3,000
// comparisons need.
constexpr std::size_t kMaxWork = 16'000'000;

// A half-open range from one cut to another. Cut 2i is just before the i-th text of the axis, cut 2i+1 just
// after it.
struct Interval {
  std::uint32_t begin, end;

  bool operator==(const Interval&) const = default;
  bool empty() const { return begin >= end; }
};

using Intervals = std::span<const Interval>;  // sorted, disjoint, none empty

// The cuts of one of the two keys.
class Axis {
 public:
  // Call add() for all literals, then sort() once. Only then may the other functions be called.
  void add(std::string_view literal) { texts_.push_back(key_part(literal)); }

  void sort() {
    texts_.emplace_back();  // cut 0 is the beginning: before the empty key
    std::sort(texts_.begin(), texts_.end(), Utf16Less{});
    texts_.erase(std::unique(texts_.begin(), texts_.end()), texts_.end());
  }

  // The cut after all keys.
  std::uint32_t end() const { return static_cast<std::uint32_t>(2 * texts_.size()); }
  Interval all() const { return {0, end()}; }

  bool is_single_key(Interval interval) const { return interval.begin % 2 == 0 && interval.end == interval.begin + 1; }

  std::string bound(std::uint32_t cut) const {
    std::string text(texts_[cut / 2]);
    if (cut % 2 == 1) text += '\0';
    return text;
  }

  std::vector<Interval> satisfying(ComparisonOperator op, std::string_view literal) const {
    const auto [front, behind] = around(literal);
    switch (op) {
      case ComparisonOperator::Eq:
        return non_empty({{front, behind}});
      case ComparisonOperator::Ne:
        return non_empty({{0, front}, {behind, end()}});
      case ComparisonOperator::Gt:
        return non_empty({{behind, end()}});
      case ComparisonOperator::Ge:
        return non_empty({{front, end()}});
      case ComparisonOperator::Lt:
        return non_empty({{0, front}});
      case ComparisonOperator::Le:
        return non_empty({{0, behind}});
    }
    return {all()};
  }

 private:
  // No key holds U+0000. So a literal with U+0000 equals no key, and its place is just after the part before
  // the U+0000.
  static std::string_view key_part(std::string_view literal) { return literal.substr(0, literal.find('\0')); }

  Interval around(std::string_view literal) const {
    const std::string_view text = key_part(literal);
    const auto found = std::lower_bound(texts_.begin(), texts_.end(), text, Utf16Less{});
    const auto front = static_cast<std::uint32_t>(2 * (found - texts_.begin()));
    return {text.size() == literal.size() ? front : front + 1, front + 1};
  }

  static std::vector<Interval> non_empty(std::vector<Interval> intervals) {
    std::erase_if(intervals, [](Interval interval) { return interval.empty(); });
    return intervals;
  }

  std::vector<std::string_view> texts_;
};

// An interval of partition keys that all have the same row keys: rows[first_row, last_row) of the region.
struct Band {
  Interval partitions;
  std::size_t first_row, last_row;
};

// A set of keys: bands in order of their partitions. Bands are disjoint, and each has rows.
struct Region {
  std::vector<Band> bands;
  std::vector<Interval> rows;

  Intervals rows_of(const Band& band) const {
    return Intervals(rows).subspan(band.first_row, band.last_row - band.first_row);
  }

  // Appends a band for `partitions`. Its rows are those after the rows of the last band. Merges it with an
  // adjacent band of equal rows.
  void close_band(Interval partitions) {
    const std::size_t first_row = bands.empty() ? 0 : bands.back().last_row;
    if (first_row == rows.size()) return;
    const Band band{partitions, first_row, rows.size()};
    if (!bands.empty() && bands.back().partitions.end == partitions.begin &&
        std::ranges::equal(rows_of(bands.back()), rows_of(band))) {
      bands.back().partitions.end = partitions.end;
      rows.resize(first_row);
    } else {
      bands.push_back(band);
    }
  }
};

void append_union(std::vector<Interval>& out, Intervals a, Intervals b) {
  const std::size_t first = out.size();
  while (!a.empty() || !b.empty()) {
    Intervals& source = b.empty() || (!a.empty() && a.front().begin <= b.front().begin) ? a : b;
    const Interval next = source.front();
    source = source.subspan(1);
    if (out.size() > first && next.begin <= out.back().end) {
      out.back().end = std::max(out.back().end, next.end);
    } else {
      out.push_back(next);
    }
  }
}

void append_intersection(std::vector<Interval>& out, Intervals a, Intervals b) {
  while (!a.empty() && !b.empty()) {
    const Interval both{std::max(a.front().begin, b.front().begin), std::min(a.front().end, b.front().end)};
    if (!both.empty()) out.push_back(both);
    Intervals& first_to_end = a.front().end <= b.front().end ? a : b;
    first_to_end = first_to_end.subspan(1);
  }
}

// Returns the smallest single interval that covers all of them.
std::vector<Interval> hull(Intervals intervals) {
  if (intervals.empty()) return {};
  return {{intervals.front().begin, intervals.back().end}};
}

ComparisonOperator complement(ComparisonOperator op) {
  switch (op) {
    case ComparisonOperator::Eq:
      return ComparisonOperator::Ne;
    case ComparisonOperator::Ne:
      return ComparisonOperator::Eq;
    case ComparisonOperator::Gt:
      return ComparisonOperator::Le;
    case ComparisonOperator::Ge:
      return ComparisonOperator::Lt;
    case ComparisonOperator::Lt:
      return ComparisonOperator::Ge;
    case ComparisonOperator::Le:
      return ComparisonOperator::Gt;
  }
  return op;
}

// The properties that form the key. Order is by the first; the second orders keys that are equal in the
// first.
struct KeyProperties {
  std::string_view partition, row;
};

constexpr KeyProperties kEntityKey{"PartitionKey", "RowKey"};
constexpr KeyProperties kTableKey{"TableName", ""};  // no property has an empty name

// Computes the region of one filter. Holds views of the filter's literals.
class Planner {
 public:
  Planner(const Filter& filter, KeyProperties key) : key_(key) {
    collect(filter);
    partitions_.sort();
    rows_.sort();
    push_region(filter, false);
    region_ = pop();
  }

  KeyRanges ranges() const {
    KeyRanges out;
    for (const Band& band : region_.bands) {
      const EntityKey begin{partitions_.bound(band.partitions.begin), ""};
      if (!partitions_.is_single_key(band.partitions)) {
        append(out, begin, partition_end(band.partitions));
        continue;
      }
      for (const Interval row : region_.rows_of(band)) {
        const bool to_partition_end = row.end == rows_.end();
        append(
            out, {begin.partition_key, rows_.bound(row.begin)},
            to_partition_end ? partition_end(band.partitions) : EntityKey{begin.partition_key, rows_.bound(row.end)});
      }
    }
    return out;
  }

 private:
  enum class Operation { Unite, Intersect };

  Axis* axis_of(std::string_view property) {
    if (property == key_.partition) return &partitions_;
    if (property == key_.row) return &rows_;
    return nullptr;
  }

  // Adds the literals that keys are compared with to their axes.
  void collect(const Filter& filter) {
    if (const auto* conjunction = std::get_if<And>(&filter.node)) {
      for (const Filter& term : conjunction->terms) collect(term);
    } else if (const auto* disjunction = std::get_if<Or>(&filter.node)) {
      for (const Filter& term : disjunction->terms) collect(term);
    } else if (const auto* negation = std::get_if<Not>(&filter.node)) {
      collect(*negation->term);
    } else if (const auto* comparison = std::get_if<Comparison>(&filter.node)) {
      Axis* axis = axis_of(comparison->property);
      const auto* literal = std::get_if<std::string>(&comparison->literal);
      if (axis != nullptr && literal != nullptr) axis->add(*literal);
    }
  }

  // Pushes the keys that can satisfy `filter`, or `not filter`, onto regions_. Regions on the call stack
  // would need kilobytes per nesting level. Negation is pushed down to the comparisons, because they have an
  // exact complement. The complement of a region would be wrong if the region is wider than the filter.
  void push_region(const Filter& filter, bool negated) {
    if (const auto* conjunction = std::get_if<And>(&filter.node)) {
      combine_terms(conjunction->terms, negated, negated ? Operation::Unite : Operation::Intersect);
    } else if (const auto* disjunction = std::get_if<Or>(&filter.node)) {
      combine_terms(disjunction->terms, negated, negated ? Operation::Intersect : Operation::Unite);
    } else if (const auto* negation = std::get_if<Not>(&filter.node)) {
      push_region(*negation->term, !negated);
    } else {
      push_leaf(filter, negated);
    }
  }

  // Merges regions like a binary counter, so that each region is merged log n times. Merging one after the
  // other would merge the first region n times.
  void combine_terms(std::span<const Filter> terms, bool negated, Operation operation) {
    for (std::size_t count = 1; count <= terms.size(); ++count) {
      push_region(terms[count - 1], negated);
      for (std::size_t digits = count; digits % 2 == 0; digits /= 2) merge_last_two(operation);
    }
    // One region remains for each 1 bit of the number of terms.
    for (int left = std::popcount(terms.size()); left > 1; --left) merge_last_two(operation);
    if (terms.empty()) push_neutral(operation);
  }

  // Pushes the region of an empty list of terms.
  [[gnu::noinline]] void push_neutral(Operation operation) {
    regions_.push_back(operation == Operation::Unite ? Region{} : everything());
  }

  [[gnu::noinline]] void merge_last_two(Operation operation) {
    const Region last = pop();
    regions_.back() = combine(regions_.back(), last, operation);
  }

  Region pop() {
    Region last = std::move(regions_.back());
    regions_.pop_back();
    return last;
  }

  [[gnu::noinline]] void push_leaf(const Filter& filter, bool negated) {
    if (const auto* constant = std::get_if<Constant>(&filter.node))
      return regions_.push_back(region_of(*constant, negated));
    if (const auto* comparison = std::get_if<Comparison>(&filter.node))
      return regions_.push_back(region_of(*comparison, negated));
    regions_.push_back(region_of(std::get<BooleanProperty>(filter.node), negated));
  }

  Region region_of(const Constant& constant, bool negated) const {
    return constant.value != negated ? everything() : Region{};
  }

  Region region_of(const Comparison& comparison, bool negated) {
    const Axis* axis = axis_of(comparison.property);
    if (axis == nullptr) return everything();
    const auto* literal = std::get_if<std::string>(&comparison.literal);
    if (literal == nullptr) {  // keys are Strings: comparing with another type has one outcome for all keys
      const bool outcome = compare(std::string_view(), comparison.op, view_of(comparison.literal));
      return region_of(Constant{outcome}, negated);
    }
    const auto intervals = axis->satisfying(negated ? complement(comparison.op) : comparison.op, *literal);
    return axis == &partitions_ ? all_rows_of(intervals) : in_all_partitions(intervals);
  }

  Region region_of(const BooleanProperty& boolean, bool negated) {
    const bool is_key = axis_of(boolean.property) != nullptr;  // a key is a String, which is never true
    return is_key ? region_of(Constant{false}, negated) : everything();
  }

  Region everything() const { return all_rows_of(std::vector<Interval>{partitions_.all()}); }

  Region all_rows_of(Intervals partitions) const {
    Region out;
    for (const Interval interval : partitions) {
      out.rows.push_back(rows_.all());
      out.close_band(interval);
    }
    return out;
  }

  Region in_all_partitions(std::vector<Interval> rows) const {
    Region out;
    out.rows = std::move(rows);
    out.close_band(partitions_.all());
    return out;
  }

  // Walks the partition axis through the bands of both regions and combines their rows piece by piece. If the
  // work limit is reached, returns an upper bound: everything for a union, one of the two regions for an
  // intersection.
  Region combine(const Region& a, const Region& b, Operation operation) {
    if (!spend_work(a.bands.size() + b.bands.size())) {
      if (operation == Operation::Unite) return everything();
      return a.rows.size() < b.rows.size() ? a : b;
    }
    constexpr Interval kNowhere{std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()};
    Region out;
    auto band_a = a.bands.cbegin(), band_b = b.bands.cbegin();
    std::uint32_t at = 0;
    while (band_a != a.bands.cend() || band_b != b.bands.cend()) {
      const Interval piece_a = band_a != a.bands.cend() ? band_a->partitions : kNowhere;
      const Interval piece_b = band_b != b.bands.cend() ? band_b->partitions : kNowhere;
      at = std::max(at, std::min(piece_a.begin, piece_b.begin));
      const bool in_a = piece_a.begin <= at, in_b = piece_b.begin <= at;
      const std::uint32_t end = std::min(in_a ? piece_a.end : piece_a.begin, in_b ? piece_b.end : piece_b.begin);
      append_rows(out.rows, in_a ? a.rows_of(*band_a) : Intervals{}, in_b ? b.rows_of(*band_b) : Intervals{},
                  operation);
      out.close_band({at, end});
      at = end;
      if (in_a && piece_a.end == end) ++band_a;
      if (in_b && piece_b.end == end) ++band_b;
    }
    return out;
  }

  void append_rows(std::vector<Interval>& out, Intervals a, Intervals b, Operation operation) {
    const bool exact = out.size() + a.size() + b.size() <= kMaxRowIntervals && spend_work(a.size() + b.size());
    const auto append = operation == Operation::Unite ? append_union : append_intersection;
    if (exact || (a.size() <= 1 && b.size() <= 1)) {
      append(out, a, b);
    } else {
      append(out, hull(a), hull(b));
    }
  }

  // Returns whether this many more steps are within the limit, and counts them.
  bool spend_work(std::size_t steps) {
    if (steps > work_left_) return false;
    work_left_ -= steps;
    return true;
  }

  std::optional<EntityKey> partition_end(Interval partitions) const {
    if (partitions.end == partitions_.end()) return std::nullopt;
    return EntityKey{partitions_.bound(partitions.end), ""};
  }

  // Appends a range that begins at or after the end of the last one.
  static void append(KeyRanges& out, EntityKey begin, std::optional<EntityKey> end) {
    if (!out.empty() && out.back().end == begin) {
      out.back().end = std::move(end);
    } else {
      out.push_back({std::move(begin), std::move(end)});
    }
  }

  KeyProperties key_;
  Axis partitions_, rows_;
  std::size_t work_left_ = kMaxWork;
  std::vector<Region> regions_;  // computed, but not yet combined
  Region region_;
};

bool is_before(const EntityKey& a, const EntityKey& b) {
  const auto partitions = compare_utf16(a.partition_key, b.partition_key);
  return partitions != 0 ? partitions < 0 : compare_utf16(a.row_key, b.row_key) < 0;
}

bool holds_null(std::string_view text) { return text.find('\0') != std::string_view::npos; }

// Returns the bound before the first key that is not before `key`: `key` itself, unless it holds a U+0000,
// which no key does.
EntityKey bound_at(const EntityKey& key) {
  if (holds_null(key.partition_key)) return {key.partition_key.substr(0, key.partition_key.find('\0') + 1), ""};
  if (holds_null(key.row_key)) return {key.partition_key, key.row_key.substr(0, key.row_key.find('\0') + 1)};
  return key;
}

void append_bound(std::string& out, std::string_view text) {
  const bool behind = !text.empty() && text.back() == '\0';
  out += behind ? text.substr(0, text.size() - 1) : text;
  if (behind) out += '+';
}

void append_bound(std::string& out, const EntityKey& bound) {
  out += '(';
  append_bound(out, bound.partition_key);
  out += ',';
  append_bound(out, bound.row_key);
  out += ')';
}

}  // namespace

KeyRanges key_ranges(const Filter& filter) { return Planner(filter, kEntityKey).ranges(); }

KeyRanges table_name_ranges(const Filter& filter) { return Planner(filter, kTableKey).ranges(); }

KeyRanges all_keys() { return {{EntityKey{}, std::nullopt}}; }

KeyRanges range_of_key(const EntityKey& key) {
  if (holds_null(key.partition_key) || holds_null(key.row_key)) return {};
  return {{key, EntityKey{key.partition_key, key.row_key + '\0'}}};
}

KeyRanges starting_at(KeyRanges ranges, const EntityKey& key) {
  const EntityKey begin = bound_at(key);
  std::erase_if(ranges, [&](const KeyRange& range) { return range.end && !is_before(begin, *range.end); });
  if (!ranges.empty() && is_before(ranges.front().begin, begin)) ranges.front().begin = begin;
  return ranges;
}

KeyRanges intersect(KeyRanges ranges, const KeyRange& limits) {
  KeyRanges out = starting_at(std::move(ranges), limits.begin);
  if (!limits.end) return out;
  const EntityKey end = bound_at(*limits.end);
  std::erase_if(out, [&](const KeyRange& range) { return !is_before(range.begin, end); });
  if (!out.empty() && (!out.back().end || is_before(end, *out.back().end))) out.back().end = end;
  return out;
}

bool contains(const KeyRange& range, const EntityKey& key) {
  return !is_before(key, range.begin) && (!range.end || is_before(key, *range.end));
}

std::string to_string(const KeyRange& range) {
  std::string out = "[";
  append_bound(out, range.begin);
  out += ' ';
  if (range.end) {
    append_bound(out, *range.end);
  } else {
    out += "end";
  }
  out += ')';
  return out;
}

std::string to_string(const KeyRanges& ranges) {
  std::string out;
  for (const KeyRange& range : ranges) {
    if (!out.empty()) out += ' ';
    out += to_string(range);
  }
  return out;
}

}  // namespace rocktable
