// The order of keys in the database is that of the service: by UTF-16 code units, the PartitionKey first.
#include "storage/postgres/utf16_key.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "odata/key_ranges.h"
#include "storage/format/entity_codec.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr TableId kTable{7};
constexpr TableId kNext{8};

// In the order of the service. U+10437 is D801 DC37 in UTF-16, and so sorts before U+FFFD.
const std::vector<std::string> kInOrder{
    "",  "\x01", "0", "1",      "10",           "2",          "A",          "a",      "a\x01", "aa",
    "b", "\x7F", "é", "\u0416", "\xED\x9F\xBF", "\U00010437", "\U0010FFFF", "\uE000", "\uFFFD"};

std::vector<std::string> sorted_texts() {
  std::vector<std::string> out(kInOrder.rbegin(), kInOrder.rend());
  std::ranges::sort(out, [](const std::string& a, const std::string& b) {
    return utf16_key(kTable, a, "") < utf16_key(kTable, b, "");
  });
  return out;
}

TEST_CASE("keys sort by UTF-16 code units") { CHECK(sorted_texts() == kInOrder); }

TEST_CASE("a partition's keys stand together, before those of the next partition and the next table") {
  std::string last;
  for (const TableId table : {kTable, kNext}) {
    for (const std::string& partition_key : kInOrder) {
      for (const std::string& row_key : kInOrder) {
        const std::string key = utf16_key(table, partition_key, row_key);
        CAPTURE(partition_key);
        CAPTURE(row_key);
        REQUIRE(last < key);
        REQUIRE(utf16_table_begin(table) <= key);
        REQUIRE(key < utf16_table_end(table));
        last = key;
      }
    }
  }
  CHECK(utf16_table_end(kTable) <= utf16_table_begin(kNext));
}

TEST_CASE("a key reads as it was written") {
  for (const std::string& partition_key : kInOrder)
    for (const std::string& row_key : kInOrder)
      CHECK(decode_utf16_key(utf16_key(kTable, partition_key, row_key)) == EntityKey{partition_key, row_key});
}

TEST_CASE("the longest keys fit into a row of a btree index") {
  const std::string longest(512, 'k');
  CHECK(utf16_key(kTable, longest, longest).size() == 2058);
  std::string of_pairs;
  for (int i = 0; i < 256; ++i) of_pairs += "\U0001F600";  // two code units each
  CHECK(utf16_key(kTable, of_pairs, of_pairs).size() == 2058);
}

TEST_CASE("a bound with a key is that key") {
  CHECK(utf16_bound(kTable, {"p", "r"}) == utf16_key(kTable, "p", "r"));
  CHECK(utf16_bound(kTable, {"p", ""}) == utf16_key(kTable, "p", ""));
}

TEST_CASE("a bound whose text ends in U+0000 comes after all keys with what is before") {
  const std::string after_partition = utf16_bound(kTable, {std::string("p\0", 2), ""});
  CHECK(utf16_key(kTable, "p", "\uFFFD") < after_partition);
  CHECK(after_partition <= utf16_key(kTable, "p\x01", ""));
  const std::string after_row = utf16_bound(kTable, {"p", std::string("r\0", 2)});
  CHECK(utf16_key(kTable, "p", "r") < after_row);
  CHECK(after_row <= utf16_key(kTable, "p", "r\x01"));
}

TEST_CASE("what is no key is a damaged record") {
  const std::string key = utf16_key(kTable, "p", "r");
  for (std::size_t bytes = 0; bytes < 8; ++bytes)
    CHECK_THROWS_AS(decode_utf16_key(key.substr(0, bytes)), CorruptRecord);
  CHECK_THROWS_AS(decode_utf16_key(key.substr(0, key.size() - 1)), CorruptRecord);
  CHECK_THROWS_AS(decode_utf16_key(key.substr(0, 10)), CorruptRecord);  // no end of the PartitionKey
  CHECK_THROWS_AS(decode_utf16_key(key + std::string(2, '\0')), CorruptRecord);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
