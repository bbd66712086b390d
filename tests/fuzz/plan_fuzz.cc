// Filters built from the input, with few keys so that bounds coincide. Their plans are correct, as a whole
// and cut.
#include <algorithm>

#include "odata/filter_parser.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

using namespace std::string_view_literals;

// Keys, texts between them, and texts with U+0000, which no key contains.
constexpr std::string_view kLiterals[] = {"",
                                          "!",
                                          "a",
                                          "aa",
                                          "ab",
                                          "b",
                                          "\xEE\x80\x80",
                                          "\xEF\xBF\xBD",
                                          "\xF0\x9F\x98\x80",
                                          "a\xF0\x9F\x98\x80",
                                          "aab",
                                          "\xF0\x9F\x98\x81",
                                          "a\0"sv,
                                          "a\0b"sv,
                                          "\0"sv,
                                          "c"};
constexpr std::string_view kOperators[] = {"eq", "ne", "gt", "ge", "lt", "le"};
constexpr int kMaxDepth = 12;

// Writes a filter that depends on the bytes. After the end of the bytes it takes the first choice each time,
// so that the filter ends soon.
class FilterWriter {
 public:
  explicit FilterWriter(std::string_view choices) : choices_(choices) {}

  std::string condition(int depth) {
    switch (depth == kMaxDepth ? 0 : choose(8)) {
      case 1:
        return "not (" + condition(depth + 1) + ")";
      case 2:
        return joined(" and ", 2 + choose(2), depth);
      case 3:
        return joined(" or ", 2 + choose(2), depth);
      case 4:  // many, for the list of an `in`
        return joined(" or ", choose(20) + 1, kMaxDepth - 1);
      case 5:
        return std::string(choose(2) == 0 ? "not " : "") + "not " + operand(depth);
      default:
        return comparison();
    }
  }

  EntityKey key() {
    const std::string partition_key(literal());
    return {partition_key, std::string(literal())};
  }

 private:
  std::size_t choose(std::size_t count) {
    if (choices_.empty()) return 0;
    const auto choice = static_cast<unsigned char>(choices_.front()) % count;
    choices_.remove_prefix(1);
    return choice;
  }

  std::string_view literal() { return kLiterals[choose(std::size(kLiterals))]; }

  std::string joined(std::string_view separator, std::size_t count, int depth) {
    std::string out = operand(depth);
    for (std::size_t i = 1; i < count; ++i) out += std::string(separator) + operand(depth);
    return out;
  }

  std::string operand(int depth) { return "(" + condition(depth + 1) + ")"; }

  std::string comparison() {
    const std::size_t kind = choose(16);
    if (kind == 10) return "A " + std::string(kOperators[choose(6)]) + " " + std::to_string(choose(3));
    if (kind == 11) return "B";
    if (kind == 12) return choose(2) == 0 ? "true" : "false";
    if (kind == 13) return "1 " + std::string(kOperators[choose(6)]) + " 2";
    const std::string name = kind % 2 == 0 ? "PartitionKey" : "RowKey";
    const std::string op(kOperators[choose(6)]), text = "'" + std::string(literal()) + "'";
    return kind < 10 ? name + " " + op + " " + text : text + " " + op + " " + name;
  }

  std::string_view choices_;
};

}  // namespace

void fuzz_plan(std::string_view input) {
  FilterWriter writer(input);
  const EntityKey from = writer.key();
  const std::string text = writer.condition(0);
  auto parsed = parse_filter(text);
  require(parsed.has_value(), "refused: " + text);
  const std::optional<Filter> filter = std::move(*parsed);
  require_sound_plan(filter);

  // Cut at a key, the two parts together are the whole, and each is on its side of the key.
  const KeyRanges ranges = plan_query(filter).ranges;
  const Places whole(ranges), behind(starting_at(ranges, from)),
      before(intersect(ranges, {EntityKey{}, EntityKey{from}}));
  behind.require_order(text + " behind");
  before.require_order(text + " before");
  for (const auto& row : fuzz_entities().rows) {
    const bool is_before = row.place < place_of(from);
    require(before.contain(row.place) == (is_before && whole.contain(row.place)), text + ": before");
    require(behind.contain(row.place) == (!is_before && whole.contain(row.place)), text + ": behind");
  }

  // Within the ranges, a filter without the terms that they imply matches the same.
  std::optional<Filter> left = parse_filter(text).value();
  remove_implied_terms(left, ranges);
  for (const auto& row : fuzz_entities().rows)
    if (whole.contain(row.place))
      require(matches(*filter, row.view()) == (!left || matches(*left, row.view())), text + ": implied terms");
}

}  // namespace rocktable
