// The part of a table that a query reads: examples, comparison with a naive evaluator, hostile filters.
#include "odata/key_ranges.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "odata/filter_parser.h"
#include "odata/query_plan.h"

namespace rocktable::TEST_FILE {
namespace {

std::string ranges(std::string_view filter) { return to_string(key_ranges(parse_filter(filter).value())); }

bool is_before(const EntityKey& a, const EntityKey& b) {
  if (a.partition_key != b.partition_key) return compare_utf16(a.partition_key, b.partition_key) < 0;
  return compare_utf16(a.row_key, b.row_key) < 0;
}

bool contains(const KeyRanges& ranges, const EntityKey& key) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const KeyRange& range) {
    return !is_before(key, range.begin) && (!range.end || is_before(key, *range.end));
  });
}

// Returns whether the ranges are sorted and disjoint, and none is empty.
bool are_well_formed(const KeyRanges& ranges) {
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].end && !is_before(ranges[i].begin, *ranges[i].end)) return false;
    const bool last = i + 1 == ranges.size();
    if (!last && (!ranges[i].end || is_before(ranges[i + 1].begin, *ranges[i].end))) return false;
  }
  return true;
}

// --- A naive evaluator with its own trees and entities ---------------------------------------------------

// Converts UTF-8 to UTF-16, which the service orders by.
std::u16string utf16(std::string_view text) {
  std::u16string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[i + k]); };
    if (byte(0) < 0x80) {
      out += static_cast<char16_t>(byte(0));
      i += 1;
    } else if (byte(0) < 0xF0) {
      out += static_cast<char16_t>((byte(0) & 0xF) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F));
      i += 3;
    } else {
      const int code =
          ((byte(0) & 7) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F)) - 0x10000;
      out += static_cast<char16_t>(0xD800 + (code >> 10));
      out += static_cast<char16_t>(0xDC00 + (code & 0x3FF));
      i += 4;
    }
  }
  return out;
}

template <class T>
bool naive_compare(const T& left, std::string_view op, const T& right) {
  if (op == "eq") return left == right;
  if (op == "ne") return left != right;
  if (op == "gt") return left > right;
  if (op == "ge") return left >= right;
  if (op == "lt") return left < right;
  return left <= right;
}

// The values of an entity as text, by name: keys, and the optional properties A (Int32) and B (Boolean).
using NaiveEntity = std::map<std::string, std::string>;

struct NaiveFilter {
  std::string kind;  // and, or, not, true, false, prop, or a comparison operator
  std::string name, literal;
  std::vector<NaiveFilter> terms;
};

bool naive_matches(const NaiveFilter& filter, const NaiveEntity& entity) {
  if (filter.kind == "true" || filter.kind == "false") return filter.kind == "true";
  if (filter.kind == "not") return !naive_matches(filter.terms[0], entity);
  if (filter.kind == "and" || filter.kind == "or") {
    const bool left = naive_matches(filter.terms[0], entity), right = naive_matches(filter.terms[1], entity);
    return filter.kind == "and" ? left && right : left || right;
  }
  const auto found = entity.find(filter.name);
  if (found == entity.end()) return false;
  if (filter.kind == "prop") return found->second == "true";
  if (filter.name == "A") return naive_compare(std::stoi(found->second), filter.kind, std::stoi(filter.literal));
  return naive_compare(utf16(found->second), filter.kind, utf16(filter.literal));
}

std::string text_of(const NaiveFilter& filter) {
  if (filter.kind == "true" || filter.kind == "false") return filter.kind;
  if (filter.kind == "prop") return filter.name;
  if (filter.kind == "not") return "not (" + text_of(filter.terms[0]) + ")";
  if (filter.kind == "and" || filter.kind == "or")
    return "(" + text_of(filter.terms[0]) + ") " + filter.kind + " (" + text_of(filter.terms[1]) + ")";
  const std::string quote = filter.name == "A" ? "" : "'";
  return filter.name + " " + filter.kind + " " + quote + filter.literal + quote;
}

// '' and neighbours. U+FFFD and U+E000 are after the non-BMP U+1F600 in UTF-16 order, but before it in byte
// order.
const std::vector<std::string> kKeys = {
    "", "!", "a", "aa", "ab", "b", "\xEE\x80\x80", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80", "a\xF0\x9F\x98\x80"};

class RandomFilters {
 public:
  explicit RandomFilters(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t limit) { return random_() % limit; }

  const std::string& key() { return kKeys[below(kKeys.size())]; }

  NaiveFilter key_comparison() {
    static const std::vector<std::string> kOperators = {"eq", "ne", "gt", "ge", "lt", "le"};
    return {kOperators[below(6)], below(2) == 0 ? "PartitionKey" : "RowKey", key(), {}};
  }

  NaiveFilter leaf(bool keys_only) {
    const std::size_t choice = keys_only ? 0 : below(8);
    if (choice == 5) return {below(2) == 0 ? "ge" : "ne", "A", std::to_string(below(3)), {}};
    if (choice == 6) return {"prop", "B", "", {}};
    if (choice == 7) return {below(2) == 0 ? "true" : "false", "", "", {}};
    return key_comparison();
  }

  NaiveFilter tree(int depth, bool keys_only) {
    const std::size_t choice = depth == 0 ? 0 : below(6);
    if (choice == 0) return leaf(keys_only);
    if (choice == 1) return {"not", "", "", {tree(depth - 1, keys_only)}};
    return {choice % 2 == 0 ? "and" : "or", "", "", {tree(depth - 1, keys_only), tree(depth - 1, keys_only)}};
  }

 private:
  std::mt19937 random_;
};

// Returns an entity for every pair of keys, with random properties.
std::vector<NaiveEntity> all_entities(RandomFilters& random) {
  std::vector<NaiveEntity> out;
  for (const std::string& partition_key : kKeys)
    for (const std::string& row_key : kKeys) {
      NaiveEntity entity = {{"PartitionKey", partition_key}, {"RowKey", row_key}};
      if (random.below(2) == 0) entity["A"] = std::to_string(random.below(3));
      if (random.below(2) == 0) entity["B"] = random.below(2) == 0 ? "true" : "false";
      out.push_back(entity);
    }
  return out;
}

bool real_matches(const Filter& filter, const NaiveEntity& entity) {
  Properties properties;
  if (entity.count("A") > 0) properties.push_back({"A", std::stoi(entity.at("A"))});
  if (entity.count("B") > 0) properties.push_back({"B", entity.at("B") == "true"});
  const auto views = view_of(properties);
  return matches(filter, {entity.at("PartitionKey"), entity.at("RowKey"), DateTime{}, views});
}

EntityKey key_of(const NaiveEntity& entity) { return {entity.at("PartitionKey"), entity.at("RowKey")}; }

std::string joined(const std::vector<std::string>& terms, std::string_view separator) {
  std::string out;
  for (const std::string& term : terms) {
    if (!out.empty()) out += separator;
    out += term;
  }
  return out;
}

// Returns `count` comparisons of `name` with the texts <prefix>100000, <prefix>100001, ...
std::string many(int count, const std::string& name, const std::string& op, const std::string& prefix,
                 std::string_view separator) {
  std::vector<std::string> terms;
  for (int i = 0; i < count; ++i) terms.push_back(name + " " + op + " '" + prefix + std::to_string(100'000 + i) + "'");
  return "(" + joined(terms, separator) + ")";
}

}  // namespace

TEST_CASE("key ranges: comparisons of keys limit what is read, other conditions do not") {
  const struct {
    std::string_view filter, ranges;
  } cases[] = {
      {"true", "[(,) end)"},
      {"false", ""},
      {"A eq 1", "[(,) end)"},
      {"not (A eq 1)", "[(,) end)"},
      {"Timestamp gt datetime'2020-01-01T00:00:00Z'", "[(,) end)"},
      {"B", "[(,) end)"},
      {"not B", "[(,) end)"},
      {"PartitionKey eq 'a'", "[(a,) (a+,))"},
      {"PartitionKey ne 'a'", "[(,) (a,)) [(a+,) end)"},
      {"PartitionKey gt 'a'", "[(a+,) end)"},
      {"PartitionKey ge 'a'", "[(a,) end)"},
      {"PartitionKey lt 'a'", "[(,) (a,))"},
      {"PartitionKey le 'a'", "[(,) (a+,))"},
      {"PartitionKey eq ''", "[(,) (+,))"},
      {"PartitionKey gt ''", "[(+,) end)"},
      {"PartitionKey ge ''", "[(,) end)"},
      {"PartitionKey lt ''", ""},
      {"PartitionKey eq 'a' and RowKey eq '1'", "[(a,1) (a,1+))"},
      {"PartitionKey eq 'a' and RowKey ne '1'", "[(a,) (a,1)) [(a,1+) (a+,))"},
      {"PartitionKey eq 'a' and RowKey ge '1' and RowKey lt '5'", "[(a,1) (a,5))"},
      {"PartitionKey eq 'a' and RowKey gt '1' and RowKey le '5'", "[(a,1+) (a,5+))"},
      {"PartitionKey eq 'a' and RowKey gt '5' and RowKey lt '1'", ""},
      {"PartitionKey eq 'a' and RowKey eq ''", "[(a,) (a,+))"},
      {"PartitionKey eq 'a' and A eq 1", "[(a,) (a+,))"},
      {"PartitionKey eq 'a' or A eq 1", "[(,) end)"},
      {"PartitionKey eq 'a' and PartitionKey eq 'b'", ""},
      {"PartitionKey ge 'a' and PartitionKey le 'a' and RowKey eq '1'", "[(a,1) (a,1+))"},
      {"RowKey eq '1' and (PartitionKey eq 'a' or PartitionKey eq 'b')", "[(a,1) (a,1+)) [(b,1) (b,1+))"},
      {"(PartitionKey eq 'a' and RowKey eq '1') or (PartitionKey eq 'b' and RowKey ge '5' and RowKey lt '6')",
       "[(a,1) (a,1+)) [(b,5) (b,6))"},
      {"PartitionKey eq 'b' and RowKey eq '1' or PartitionKey eq 'a' and RowKey eq '2'",
       "[(a,2) (a,2+)) [(b,1) (b,1+))"},
      {"PartitionKey eq 'a' and (RowKey le '3' or RowKey gt '3')", "[(a,) (a+,))"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    CHECK(ranges(c.filter) == c.ranges);
  }
}

TEST_CASE("key ranges: a bound on RowKey has an effect only with a fixed PartitionKey") {
  CHECK(ranges("RowKey eq '1'") == "[(,) end)");
  CHECK(ranges("RowKey lt ''") == "");
  CHECK(ranges("PartitionKey ge 'a' and PartitionKey lt 'b' and RowKey eq '1'") == "[(a,) (b,))");
  CHECK(ranges("PartitionKey eq 'a' and RowKey ge '5' or PartitionKey gt 'a' and RowKey eq '1'") == "[(a,5) end)");
}

TEST_CASE("key ranges: 'not' is pushed down to the comparisons inside") {
  CHECK(ranges("not (PartitionKey eq 'a')") == ranges("PartitionKey ne 'a'"));
  CHECK(ranges("not (PartitionKey ne 'a')") == ranges("PartitionKey eq 'a'"));
  CHECK(ranges("not (PartitionKey lt 'a' or PartitionKey gt 'b')") == "[(a,) (b+,))");
  CHECK(ranges("not (PartitionKey ge 'a' and PartitionKey le 'b')") == "[(,) (a,)) [(b+,) end)");
  CHECK(ranges("not (PartitionKey ne 'a' or RowKey ne '1')") == "[(a,1) (a,1+))");
  CHECK(ranges("not not (PartitionKey eq 'a')") == "[(a,) (a+,))");
  CHECK(ranges("not (PartitionKey eq 'a' and A eq 1)") == "[(,) end)");
  CHECK(ranges("not (PartitionKey ne 'a' or A eq 1)") == "[(a,) (a+,))");
  CHECK(ranges("not true") == "");
}

TEST_CASE("key ranges: keys are ordered by UTF-16 code units") {
  // U+1F600 is before U+E000, contrary to the order of their bytes.
  CHECK(ranges("PartitionKey gt '\xF0\x9F\x98\x80' and PartitionKey lt '\xEE\x80\x80'") ==
        "[(\xF0\x9F\x98\x80+,) (\xEE\x80\x80,))");
  CHECK(ranges("PartitionKey lt '\xF0\x9F\x98\x80' and PartitionKey gt '\xEE\x80\x80'") == "");
}

TEST_CASE("key ranges: a literal with U+0000 equals no key and is just after its part before the U+0000") {
  using namespace std::string_view_literals;
  CHECK(ranges("PartitionKey eq 'a\0b'"sv) == "");
  CHECK(ranges("PartitionKey ne 'a\0b'"sv) == "[(,) end)");
  CHECK(ranges("PartitionKey lt 'a\0'"sv) == "[(,) (a+,))");
  CHECK(ranges("PartitionKey le 'a\0'"sv) == "[(,) (a+,))");
  CHECK(ranges("PartitionKey gt 'a\0\0'"sv) == "[(a+,) end)");
  CHECK(ranges("PartitionKey ge '\0'"sv) == "[(+,) end)");
  CHECK(ranges("PartitionKey eq 'a' and RowKey ge '1\0' and RowKey lt '2\0x'"sv) == "[(a,1+) (a,2+))");
}

// The parser refuses these filters, but a tree can contain them. `compare` defines their outcome.
TEST_CASE("key ranges: comparing keys with a literal that is not a string has the same outcome for all keys") {
  CHECK(to_string(key_ranges(Filter{Comparison{"PartitionKey", ComparisonOperator::Eq, 5}})) == "");
  CHECK(to_string(key_ranges(Filter{Comparison{"RowKey", ComparisonOperator::Ne, 5}})) == "[(,) end)");
  CHECK(to_string(key_ranges(Filter{BooleanProperty{"RowKey"}})) == "");
}

TEST_CASE("key ranges: all keys, one key, and the rest from a key on") {
  CHECK(to_string(all_keys()) == "[(,) end)");
  CHECK(to_string(range_of_key({"a", "1"})) == "[(a,1) (a,1+))");
  CHECK(to_string(range_of_key({"", ""})) == "[(,) (,+))");

  const KeyRanges from =
      key_ranges(parse_filter("PartitionKey eq 'a' and RowKey lt '5' or PartitionKey ge 'c'").value());
  REQUIRE(to_string(from) == "[(a,) (a,5)) [(c,) end)");
  CHECK(to_string(starting_at(from, {"", ""})) == "[(a,) (a,5)) [(c,) end)");
  CHECK(to_string(starting_at(from, {"a", ""})) == "[(a,) (a,5)) [(c,) end)");
  CHECK(to_string(starting_at(from, {"a", "4"})) == "[(a,4) (a,5)) [(c,) end)");
  CHECK(to_string(starting_at(from, {"a", "5"})) == "[(c,) end)");
  CHECK(to_string(starting_at(from, {"b", "9"})) == "[(c,) end)");
  CHECK(to_string(starting_at(from, {"c", ""})) == "[(c,) end)");
  CHECK(to_string(starting_at(from, {"d", "1"})) == "[(d,1) end)");
  CHECK(to_string(starting_at({}, {"a", ""})) == "");
}

// Clients write continuation tokens, so a token can contain characters that no key has.
TEST_CASE("key ranges: a key with U+0000 does not exist, and the rest from it on starts at a valid bound") {
  using namespace std::string_literals;
  CHECK(to_string(range_of_key({"a\0"s, "1"})) == "");
  CHECK(to_string(range_of_key({"a", "\0"s})) == "");
  CHECK(to_string(starting_at(all_keys(), {"a\0b"s, "1"})) == "[(a+,) end)");
  CHECK(to_string(starting_at(all_keys(), {"a", "1\0\0"s})) == "[(a,1+) end)");
}

TEST_CASE("key ranges: for random filters, every entity that matches is in a range") {
  RandomFilters random(1);
  const auto entities = all_entities(random);
  for (int round = 0; round < 3000; ++round) {
    const NaiveFilter naive = random.tree(5, false);
    const std::string text = text_of(naive);
    CAPTURE(text);
    const Filter filter = parse_filter(text).value();
    const KeyRanges found = key_ranges(filter);
    CAPTURE(to_string(found));
    REQUIRE(are_well_formed(found));
    for (const NaiveEntity& entity : entities) {
      const bool expected = naive_matches(naive, entity);
      CAPTURE(entity.at("PartitionKey"));
      CAPTURE(entity.at("RowKey"));
      REQUIRE(real_matches(filter, entity) == expected);
      if (expected) REQUIRE(contains(found, key_of(entity)));
    }
  }
}

TEST_CASE("key ranges: for random filters on keys within one partition, ranges contain nothing else") {
  RandomFilters random(2);
  const auto entities = all_entities(random);
  for (int round = 0; round < 3000; ++round) {
    const NaiveFilter fixed = {"eq", "PartitionKey", random.key(), {}};
    const NaiveFilter naive = {"and", "", "", {random.tree(5, true), fixed}};
    const std::string text = text_of(naive);
    CAPTURE(text);
    const KeyRanges found = key_ranges(parse_filter(text).value());
    CAPTURE(to_string(found));
    REQUIRE(are_well_formed(found));
    for (const NaiveEntity& entity : entities) {
      CAPTURE(entity.at("PartitionKey"));
      CAPTURE(entity.at("RowKey"));
      REQUIRE(contains(found, key_of(entity)) == naive_matches(naive, entity));
    }
  }
}

TEST_CASE("key ranges: for random filters, terms that the ranges imply can be removed") {
  RandomFilters random(5);
  const auto entities = all_entities(random);
  int removed = 0;
  for (int round = 0; round < 3000; ++round) {
    const NaiveFilter fixed = {"eq", "PartitionKey", random.key(), {}};
    const NaiveFilter naive = {"and", "", "", {random.tree(2, true), fixed, random.tree(5, round % 2 == 0)}};
    const std::string text = text_of(naive);
    CAPTURE(text);
    const std::optional<Filter> filter = parse_filter(text).value();
    const KeyRanges found = starting_at(key_ranges(*filter), {random.key(), random.key()});
    std::optional<Filter> left = parse_filter(text).value();
    remove_implied_terms(left, found);
    CAPTURE(to_string(found));
    CAPTURE(left ? to_string(*left) : "nothing");
    if (!left || to_string(*left) != to_string(*filter)) ++removed;
    for (const NaiveEntity& entity : entities) {
      if (!contains(found, key_of(entity))) continue;
      CAPTURE(entity.at("RowKey"));
      REQUIRE((!left || real_matches(*left, entity)) == real_matches(*filter, entity));
    }
  }
  CHECK(removed > 1000);
}

TEST_CASE("key ranges: for random filters, starting_at a key keeps exactly the keys from it on") {
  RandomFilters random(3);
  const auto entities = all_entities(random);
  for (int round = 0; round < 500; ++round) {
    const KeyRanges whole = key_ranges(parse_filter(text_of(random.tree(4, false))).value());
    const EntityKey start{random.key(), random.key()};
    const KeyRanges rest = starting_at(whole, start);
    CAPTURE(to_string(whole));
    CAPTURE(to_string(rest));
    REQUIRE(are_well_formed(rest));
    for (const NaiveEntity& entity : entities) {
      const bool expected = contains(whole, key_of(entity)) && !is_before(key_of(entity), start);
      REQUIRE(contains(rest, key_of(entity)) == expected);
    }
  }
}

TEST_CASE("key ranges: thousands of points stay points") {
  std::vector<std::string> rows, partitions;
  for (int i = 0; i < 3000; ++i) {
    const std::string number = std::to_string(i * 7919 % 3000);
    rows.push_back("PartitionKey eq 'p' and RowKey eq 'r" + number + "'");
    partitions.push_back("(PartitionKey eq 'p" + number + "' and RowKey eq 'r')");
  }
  const Filter filters[] = {parse_filter(joined(rows, " or ")).value(),
                            parse_filter(joined(partitions, " or ")).value()};
  for (const Filter& filter : filters) {
    const KeyRanges found = key_ranges(filter);
    CHECK(found.size() == 3000);
    CHECK(are_well_formed(found));
    for (const KeyRange& range : found) REQUIRE(KeyRanges{range} == range_of_key(range.begin));
  }
}

TEST_CASE("key ranges: a product of many partitions and many rows becomes wider instead of longer") {
  const std::string text =
      many(2000, "PartitionKey", "eq", "p", " or ") + " and " + many(2000, "RowKey", "eq", "r", " or ");
  const KeyRanges found = key_ranges(parse_filter(text).value());
  CHECK(found.size() >= 2000);  // only partitions that can match
  CHECK(found.size() < 40'000);
  CHECK(are_well_formed(found));
  CHECK(contains(found, {"p100000", "r100000"}));
  CHECK(contains(found, {"p101999", "r101999"}));
  CHECK_FALSE(contains(found, {"p100000x", "r100000"}));
  CHECK_FALSE(contains(found, {"p101999", "s"}));
}

// Chains that pass a large product through many levels, until the work limit is reached and whole branches
// widen.
TEST_CASE("key ranges: a hostile filter costs bounded work and still yields an upper bound") {
  std::vector<std::string> chains;
  for (int i = 0; i < 20; ++i) {
    const std::string number = std::to_string(i);
    std::string chain =
        many(100, "PartitionKey", "eq", "p" + number + "_", " or ") + " and " + many(100, "RowKey", "eq", "r", " or ");
    for (int level = 0; level < 90; ++level)
      chain = "((" + chain + ") or PartitionKey eq 'any' and RowKey eq 's" + number + "') and RowKey ne 't" +
              std::to_string(level) + "'";
    chains.push_back("(" + chain + ")");
  }
  const std::string all_chains = joined(chains, " or ");

  SUBCASE("a union at the end") {
    const Filter filter = parse_filter(all_chains + " or PartitionKey eq 'hit'").value();
    const KeyRanges found = key_ranges(filter);
    CHECK(are_well_formed(found));
    const EntityKey matching[] = {
        {"hit", "hit"}, {"p0_100000", "r100000"}, {"p19_100099", "r100099"}, {"any", "s0"}, {"any", "s19"}};
    for (const EntityKey& key : matching) {
      CAPTURE(key.partition_key);
      REQUIRE(matches(filter, {key.partition_key, key.row_key, DateTime{}, {}}));
      CHECK(contains(found, key));
    }
  }

  SUBCASE("an intersection at the end") {
    const KeyRanges found = key_ranges(parse_filter("(" + all_chains + ") and PartitionKey eq 'any'").value());
    CHECK(are_well_formed(found));
    CHECK(contains(found, {"any", "s0"}));
    CHECK(contains(found, {"any", "s19"}));
    CHECK_FALSE(contains(found, {"p0_100000", "r100000"}));
  }
}

TEST_CASE("a filter of tables yields ranges of names, as a filter of entities yields ranges of partition keys") {
  const struct {
    std::string_view filter, names;
  } cases[] = {
      {"TableName eq 'Ab'", "[(ab,) (ab+,))"},
      {"TableName ge 'AB' and TableName lt 'AB{'", "[(ab,) (ab{,))"},
      {"TableName eq 'a' or 'C' eq TableName", "[(a,) (a+,)) [(c,) (c+,))"},
      {"not (TableName eq 'b')", "[(,) (b,)) [(b+,) end)"},
      {"TableName gt 'b' and TableName lt 'a'", ""},
      {"true", "[(,) end)"},
      {"false", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    CHECK(to_string(table_name_ranges(parse_filter(c.filter, FilterTarget::Tables).value())) == c.names);
  }
}

}  // namespace rocktable::TEST_FILE
