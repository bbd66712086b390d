// The bytes of keys: order, bounds, refusals.
#include "storage/rocksdb/format/key_codec.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "storage/format/entity_codec.h"
#include "tests/unit/storage/samples.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_literals;

constexpr TableId kTable{0x0102030405060708};

std::string encoded(const EntityKey& key) { return encode_entity_key(kTable, key.partition_key, key.row_key); }

std::set<EntityKey, KeyOrder> sample_keys(unsigned seed, std::size_t count) {
  Samples samples(seed);
  std::set<EntityKey, KeyOrder> keys{{"", ""}};
  while (keys.size() < count) keys.insert({samples.key_text(), samples.key_text()});
  return keys;
}

// Byte for byte, because keys are persisted.
TEST_CASE("an entity's key is table id, partition key, zero byte, row key") {
  CHECK(encode_entity_key(kTable, "pk", "rk") == "\1\2\3\4\5\6\7\x08pk\0rk"s);
  CHECK(encode_entity_key(kTable, "", "") == "\1\2\3\4\5\6\7\x08\0"s);
  CHECK(encode_entity_key(TableId{1}, "\xF0\x9F\x98\x80", "\xEF\xBF\xBF") ==
        "\0\0\0\0\0\0\0\1\xED\xA0\xBD\xED\xB8\x80\0\xEF\xBF\xBF"s);
  CHECK(encode_table_prefix(kTable) == "\1\2\3\4\5\6\7\x08"s);
  CHECK(encode_table_end(kTable) == "\1\2\3\4\5\6\7\x09"s);
}

TEST_CASE("CESU-8 encodes a character outside the BMP as two surrogates, others as UTF-8") {
  const struct {
    std::string_view utf8, cesu8;
  } cases[] = {
      {"", ""},
      {"abc", "abc"},
      {"\xC3\xA9", "\xC3\xA9"},
      {"\xED\x9F\xBF", "\xED\x9F\xBF"},  // U+D7FF: the last before the surrogates, with the same lead byte
      {"\xEE\x80\x80", "\xEE\x80\x80"},  // U+E000: the first after the surrogates
      {"\xEF\xBF\xBF", "\xEF\xBF\xBF"},
      {"\xF0\x90\x80\x80", "\xED\xA0\x80\xED\xB0\x80"},  // U+10000
      {"\xF0\x9F\x98\x80", "\xED\xA0\xBD\xED\xB8\x80"},  // U+1F600
      {"\xF4\x8F\xBF\xBF", "\xED\xAF\xBF\xED\xBF\xBF"},  // U+10FFFF
      {"a\xF0\x90\x80\x80\xED\x9F\xBF\xF4\x8F\xBF\xBFz",
       "a\xED\xA0\x80\xED\xB0\x80\xED\x9F\xBF\xED\xAF\xBF\xED\xBF\xBFz"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.utf8);
    std::string there = "x", back = "y";
    append_cesu8(there, c.utf8);
    CHECK(there == "x" + std::string(c.cesu8));
    append_utf8(back, c.cesu8);
    CHECK(back == "y" + std::string(c.utf8));
  }
}

// The service orders keys by UTF-16 code unit.
TEST_CASE("byte order of keys is the UTF-16 order of (PartitionKey, RowKey)") {
  const auto keys = sample_keys(1, 2000);
  std::string last;
  for (const EntityKey& key : keys) {
    CAPTURE(key.partition_key);
    CAPTURE(key.row_key);
    const std::string bytes = encoded(key);
    CHECK(last < bytes);
    CHECK(utf16(key.partition_key).size() == utf16_length(key.partition_key));  // checks the model
    last = bytes;
  }
}

TEST_CASE("the keys of a table are between its prefix and its end, those of other tables are not") {
  const std::uint64_t ids[] = {1, 2, 0xFF, 0x100, 0xFFFF'FFFF, 0x1'0000'0000, 0xFFFF'FFFF'FFFF'FFFE};
  const EntityKey keys[] = {{"", ""}, {" ", ""}, {"\xEF\xBF\xBF", "\xEF\xBF\xBF"}, {"a", "\xF4\x8F\xBF\xBF"}};
  for (const std::uint64_t table : ids) {
    for (const std::uint64_t other : ids) {
      for (const EntityKey& key : keys) {
        CAPTURE(table);
        CAPTURE(other);
        const std::string bytes = encode_entity_key(TableId{other}, key.partition_key, key.row_key);
        const bool inside = encode_table_prefix(TableId{table}) <= bytes && bytes < encode_table_end(TableId{table});
        CHECK(inside == (table == other));
      }
    }
  }
}

TEST_CASE("a bound that ends in U+0000 is just after its key, or after its partition") {
  const auto keys = sample_keys(2, 120);
  for (const EntityKey& key : keys) {
    const EntityKey bounds[] = {
        key, {key.partition_key, key.row_key + '\0'}, {key.partition_key + '\0', ""}, {key.partition_key, ""}};
    for (const EntityKey& bound : bounds) {
      const std::string place = encode_bound(kTable, bound);
      for (const EntityKey& other : keys) {
        CAPTURE(place);
        CAPTURE(other.partition_key);
        CAPTURE(other.row_key);
        CHECK((place <= encoded(other)) == (place_of(bound) <= place_of(other)));
      }
    }
  }
  CHECK(encode_bound(kTable, {"a", "x"}) == encode_entity_key(kTable, "a", "x"));
  CHECK(encode_bound(kTable, {"a", "x\0"s}) == encode_entity_key(kTable, "a", "x") + '\0');
  CHECK(encode_bound(kTable, {"a\0"s, ""}) == encode_table_prefix(kTable) + "a\1");
}

TEST_CASE("a key decodes as encoded, and is converted only if necessary") {
  for (const EntityKey& key : sample_keys(3, 500)) {
    CAPTURE(key.partition_key);
    CAPTURE(key.row_key);
    const std::string bytes = encoded(key);
    std::string scratch = "left from another key";
    const EntityKeyView decoded = decode_entity_key(bytes, scratch);
    CHECK(decoded.partition_key == key.partition_key);
    CHECK(decoded.row_key == key.row_key);
    const bool converted =
        decoded.row_key.data() < bytes.data() || decoded.row_key.data() > bytes.data() + bytes.size();
    CHECK(converted == ((key.partition_key + key.row_key).find('\xF0') != std::string::npos ||
                        (key.partition_key + key.row_key).find('\xF4') != std::string::npos));
  }
}

TEST_CASE("a key without table id or without the end of its partition key is damaged") {
  std::string scratch;
  const std::string whole =
      encode_entity_key(TableId{0}, "partition", "row");  // the zeros of the id do not end the partition key
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    if (size <= whole.find('\0', 8)) {
      CHECK_THROWS_AS(decode_entity_key(whole.substr(0, size), scratch), CorruptRecord);
    } else {
      CHECK_NOTHROW(decode_entity_key(whole.substr(0, size), scratch));  // a shorter row key
    }
  }
}

// A damaged key: the bytes after the surrogate, such as the end of the partition key, do not belong to a
// character.
TEST_CASE("a lone surrogate does not consume the bytes after it") {
  constexpr TableId kSomeTable{7};
  for (const std::string_view lone : {"\xED\xA0\xBD", "\xED\xB8\x80", "\xED\xA0\xBD\xED\xA0\xBD", "\xED\xA0",
                                      "\xED\xA0\xBD\xED\x9F\xBF", "\xED\xA0\xBD\xF0\xB8\x80"}) {
    CAPTURE(lone);
    const std::string key = encode_table_prefix(kSomeTable) + std::string(lone) + '\0' + "row key";
    std::string scratch;
    const auto decoded = decode_entity_key(key, scratch);
    CHECK(decoded.partition_key == lone);
    CHECK(decoded.row_key == "row key");
  }
}

// AddressSanitizer checks the bounds, because each key is in a block of exact size.
TEST_CASE("random bytes decode to a key or are refused") {
  Samples samples(4);
  for (int i = 0; i < 20'000; ++i) {
    std::string noise = samples.bytes(24);
    for (char& c : noise)  // many surrogates, paired and lone
      if (samples.one_in(3)) c = samples.one_of(std::string_view("\xED\xA0\xB0\xBF\0", 5));
    const std::vector<char> block(noise.begin(), noise.end());
    std::string scratch;
    try {
      const auto key = decode_entity_key({block.data(), block.size()}, scratch);
      CHECK(key.partition_key.size() + 1 + key.row_key.size() <= block.size() - 8);
    } catch (const CorruptRecord&) {  // NOLINT(bugprone-empty-catch): allowed for damaged bytes
    }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
