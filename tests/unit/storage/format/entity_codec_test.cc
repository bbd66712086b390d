// The bytes of records: encoded entities decode to themselves, other bytes are refused.
#include "storage/format/entity_codec.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/samples.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_literals;

constexpr DateTime kTime{0x0102030405060708};

std::string record_of(const Properties& properties, DateTime timestamp = kTime) {
  std::string out;
  encode_entity(out, timestamp, properties);
  return out;
}

Guid guid_of(std::uint8_t first) {
  Guid guid;
  for (auto& byte : guid.bytes) byte = first++;
  return guid;
}

// One property of each type, and texts before, between and after scalars.
Properties one_of_each() {
  return {{"text", "h\xC3\xA9llo"s},
          {"yes", true},
          {"i", std::int32_t{-2}},
          {"l", std::int64_t{1} << 40},
          {"blob", Binary{"\0\xFF"s}},
          {"d", 1.5},
          {"t", DateTime{0x1122334455667788}},
          {"g", guid_of(0xA0)},
          {"empty", ""s}};
}

std::vector<PropertyView> decoded(std::string_view record) {
  std::vector<PropertyView> properties;
  decode_entity(record, properties);
  return properties;
}

// Checks that all views point into the record.
bool lies_in(std::string_view part, std::string_view record) {
  return part.data() >= record.data() && part.data() + part.size() <= record.data() + record.size();
}

bool lies_in(const std::vector<PropertyView>& properties, std::string_view record) {
  for (const auto& [name, value] : properties) {
    if (!lies_in(name, record)) return false;
    if (const auto* text = std::get_if<std::string_view>(&value); text && !lies_in(*text, record)) return false;
    if (const auto* blob = std::get_if<BinaryView>(&value); blob && !lies_in(blob->bytes, record)) return false;
  }
  return true;
}

// Decodes from a block of exact size, so that AddressSanitizer finds reads beyond the end. Returns whether it
// is a valid record.
bool is_read(const std::string& record) {
  const std::vector<char> block(record.begin(), record.end());
  const std::string_view bytes(block.data(), block.size());
  std::vector<PropertyView> properties;
  try {
    decode_entity(bytes, properties);
  } catch (const CorruptRecord&) {
    return false;
  }
  CHECK(lies_in(properties, bytes));
  return true;
}

// Looks for properties in a block of exact size.
void search(const std::string& record) {
  const std::vector<char> block(record.begin(), record.end());
  const std::string_view bytes(block.data(), block.size());
  for (const std::string_view name : {"text", "l", "blob", "empty", "absent"}) {
    try {
      const auto found = find_property(bytes, name);
      if (found) CHECK(lies_in(std::vector<PropertyView>{{bytes.substr(0, 0), *found}}, bytes));
    } catch (const CorruptRecord&) {  // NOLINT(bugprone-empty-catch): allowed for damaged bytes
    }
  }
}

// Byte for byte, because records are persisted: if this fails, existing stores cannot be read.
TEST_CASE("a record has format, timestamp, directory, texts") {
  CHECK(record_of({}) == "\1\x08\7\6\5\4\3\2\1\0"s);
  CHECK(record_of(one_of_each()) ==
        "\1\x08\7\6\5\4\3\2\1\x09"
        "\0\4text\6"
        "\1\3yes\1"
        "\2\1i\xFE\xFF\xFF\xFF"
        "\3\1l\0\0\0\0\0\1\0\0"
        "\7\4blob\2"
        "\4\1d\0\0\0\0\0\0\xF8\x3F"
        "\5\1t\x88\x77\x66\x55\x44\x33\x22\x11"
        "\6\1g\xA0\xA1\xA2\xA3\xA4\xA5\xA6\xA7\xA8\xA9\xAA\xAB\xAC\xAD\xAE\xAF"
        "\0\5empty\0"
        "h\xC3\xA9llo\0\xFF"s);
  // Lengths from 128 on take two bytes, low bits first.
  CHECK(record_of({{"s", std::string(300, 'x')}}) == "\1\x08\7\6\5\4\3\2\1\1\0\1s\xAC\2"s + std::string(300, 'x'));
}

TEST_CASE("every value decodes as encoded") {
  const double infinity = std::numeric_limits<double>::infinity();
  const Value values[] = {
      ""s,
      "\0 zero"s,
      "\xF0\x9F\x98\x80"s,
      std::string(127, 'a'),
      std::string(128, 'a'),
      std::string(3 * kMaxStringLength, '\xEF'),
      true,
      false,
      std::int32_t{0},
      std::numeric_limits<std::int32_t>::min(),
      std::numeric_limits<std::int32_t>::max(),
      std::int64_t{-1},
      std::numeric_limits<std::int64_t>::min(),
      std::numeric_limits<std::int64_t>::max(),
      0.0,
      std::numeric_limits<double>::max(),
      std::numeric_limits<double>::denorm_min(),
      infinity,
      -infinity,
      kMinDateTime,
      kMaxDateTime,
      DateTime{0},
      Guid{},
      guid_of(0xF8),
      Binary{},
      Binary{std::string(kMaxBinaryBytes, '\0')},
  };
  Properties all;
  for (const Value& value : values) {
    all.push_back({"p" + std::to_string(all.size()), value});
    const std::string record = record_of({{"alone", value}});
    const auto read = decoded(record);
    REQUIRE(read.size() == 1);
    CAPTURE(to_string(type_of(value)));
    CHECK(read[0].name == "alone");
    CHECK(to_value(read[0].value) == value);
  }
  const std::string record = record_of(all);
  CHECK(to_entity({"", "", kTime, decoded(record)}).properties == all);
}

TEST_CASE("negative zero and NaN keep their bits") {
  for (const double value : {std::nan(""), -std::nan("7"), -0.0}) {
    const std::string record = record_of({{"d", value}});
    const double read = std::get<double>(decoded(record).at(0).value);
    CHECK(std::bit_cast<std::uint64_t>(read) == std::bit_cast<std::uint64_t>(value));
  }
}

TEST_CASE("random entities decode as encoded") {
  Samples samples(1);
  std::vector<PropertyView> properties;  // reused, as a scan does
  for (int i = 0; i < 500; ++i) {
    Properties written;
    for (std::size_t n = samples.below(20); n > 0; --n) written.push_back({samples.key_text(20), samples.value()});
    const DateTime timestamp{static_cast<std::int64_t>(samples.number())};
    const std::string record = record_of(written, timestamp);
    CHECK(decode_entity(record, properties) == timestamp);
    CHECK(decode_timestamp(record) == timestamp);
    CHECK(to_entity({"", "", timestamp, properties}).properties == written);
    CHECK(lies_in(properties, record));
    for (const auto& [name, value] : properties) {
      const auto found = find_property(record, name);
      REQUIRE(found);
      CHECK(*found == EntityView{"", "", timestamp, properties}.find(name));
    }
    CHECK_FALSE(find_property(record, "no such name, and longer than 20"));
  }
}

TEST_CASE("a property is found by name without the others, the first of two") {
  const std::string record = record_of(one_of_each());
  const auto properties = decoded(record);
  REQUIRE(properties.size() == 9);
  for (const auto& [name, value] : properties) {
    CAPTURE(name);
    CHECK(find_property(record, name) == std::optional(value));
  }
  for (const std::string_view absent : {"", "tex", "texts", "Text", "PartitionKey"})
    CHECK_FALSE(find_property(record, absent));
  const std::string twice = record_of({{"a", std::string("1")}, {"a", std::string("2")}});
  CHECK(find_property(twice, "a") == std::optional<ValueView>("1"));
}

TEST_CASE("an entity with the most properties decodes as encoded") {
  Properties written;
  for (std::size_t i = 0; i < kMaxProperties; ++i)
    written.push_back({std::string(kMaxPropertyNameLength, 'n') + std::to_string(i), static_cast<double>(i)});
  const std::string record = record_of(written);
  CHECK(to_entity({"", "", kTime, decoded(record)}).properties == written);
}

TEST_CASE("encoding appends, decoding clears") {
  std::string out = "in front";
  encode_entity(out, kTime, {{"a", true}});
  CHECK(out == "in front" + record_of({{"a", true}}));
  std::vector<PropertyView> properties(3);
  decode_entity(record_of({}), properties);
  CHECK(properties.empty());
}

TEST_CASE("encoded properties are a record without its header") {
  const Properties properties{{"a", std::string("text")}, {"b", std::int64_t{5}}, {"c", Binary{"\x01"}}};
  const EncodedProperties encoded(properties);
  const auto header = encode_record_header(kTime);
  std::string record;
  encode_entity(record, kTime, properties);
  CHECK(std::string(header.data(), header.size()).append(encoded.bytes()) == record);
  CHECK(to_properties(encoded.decode()) == properties);
  CHECK(EncodedProperties().bytes() == EncodedProperties(Properties{}).bytes());
  CHECK(EncodedProperties().decode().empty());
}

TEST_CASE("every truncation of a record is refused, and so is every addition") {
  const std::string record = record_of(one_of_each());
  REQUIRE(is_read(record));
  for (std::size_t size = 0; size < record.size(); ++size) {
    CAPTURE(size);
    CHECK_FALSE(is_read(record.substr(0, size)));
  }
  CHECK_FALSE(is_read(record + '\0'));
  CHECK_FALSE(is_read(record + record));
  for (std::size_t size = 0; size < 9; ++size) {
    CAPTURE(size);
    CHECK_THROWS_AS(decode_timestamp(record.substr(0, size)), CorruptRecord);
  }
}

TEST_CASE("records that no version writes are refused") {
  const std::string head = "\1\x08\7\6\5\4\3\2\1"s;
  const struct {
    std::string_view what;
    std::string record;
  } cases[] = {
      {"format 0", '\0' + record_of({}).substr(1)},
      {"format 2", '\2' + record_of({}).substr(1)},
      {"an unknown type", head + "\1\x08\1x\0"s},
      {"type 255", head + "\1\xFF\1x\0"s},
      {"many properties, none there", head + "\xFF\xFF\xFF\x7F"s},
      {"a count without end", head + "\x80\x80\x80\x80\1"s},
      {"a count of 2^63 bits", head + std::string(20, '\xFF')},
      {"a name longer than the record", head + "\1\1\x7Fx"s},
      {"a text longer than the record", head + "\1\0\1x\2y"s},
      {"a text of 256 MiB", head + "\1\0\1x\xFF\xFF\xFF\x7Fy"s},
      {"two texts, bytes for one", head + "\2\0\1x\3\7\1y\3abc"s},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    CHECK_FALSE(is_read(c.record));
  }
  CHECK_THROWS_AS(decode_timestamp(cases[0].record), CorruptRecord);
}

TEST_CASE("a record with flipped bits is refused or read within its bounds") {
  const std::string record = record_of(one_of_each());
  for (std::size_t bit = 0; bit < 8 * record.size(); ++bit) {
    std::string damaged = record;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    is_read(damaged);
    search(damaged);
  }
  Samples samples(2);
  for (int i = 0; i < 20'000; ++i) {
    std::string damaged = record;
    for (std::size_t flips = 1 + samples.below(6); flips > 0; --flips) {
      char& byte = damaged[samples.below(damaged.size())];
      byte = static_cast<char>(byte ^ (1 << samples.below(8)));
    }
    is_read(damaged);
    search(damaged);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
