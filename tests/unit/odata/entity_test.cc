// Limits, ETags and names of entities.
#include "odata/entity.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

std::string repeat(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

Properties many(std::size_t count) {
  Properties properties;
  for (std::size_t i = 0; i < count; ++i) properties.push_back({"p" + std::to_string(i), std::int32_t{0}});
  return properties;
}

// Returns the error code, or "fine".
std::string outcome(const Result<void>& result) {
  return result ? "fine" : std::string(to_string(result.error().code));
}

DateTime at(std::string_view text) { return parse_date_time(text).value(); }

constexpr std::string_view kGrin = "\xF0\x9F\x98\x80";  // one character, two code units
constexpr std::string_view kE = "\xC3\xA9";             // two bytes, one code unit

// Recorded from the service: percent-encoded colons, zeros at the end of the fraction removed.
TEST_CASE("an ETag is the timestamp") {
  const struct {
    std::string_view time, etag;
  } cases[] = {
      {"2021-05-26T15:48:10.6785697Z", "W/\"datetime'2021-05-26T15%3A48%3A10.6785697Z'\""},
      {"2021-05-26T15:48:16.9527060Z", "W/\"datetime'2021-05-26T15%3A48%3A16.952706Z'\""},
      {"2021-05-26T15:48:16Z", "W/\"datetime'2021-05-26T15%3A48%3A16Z'\""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.etag);
    CHECK(etag_of(at(c.time)) == c.etag);
    CHECK(parse_etag(c.etag).value() == at(c.time));
  }
  std::string out = "ETag: ";
  append_etag(out, kUnixEpoch);
  CHECK(out == "ETag: W/\"datetime'1970-01-01T00%3A00%3A00Z'\"");
}

TEST_CASE("reading an ETag ignores percent-encoding and trailing zeros") {
  const DateTime time = at("2021-05-26T15:48:10.67Z");
  CHECK(parse_etag("W/\"datetime'2021-05-26T15:48:10.67Z'\"").value() == time);
  CHECK(parse_etag("W/\"datetime'2021-05-26T15%3a48%3a10.6700000Z'\"").value() == time);
  CHECK(parse_etag("W/%22datetime%272021-05-26T15%3A48%3A10.67Z%27%22").value() == time);
}

TEST_CASE("text that is not of the form W/\"...\" is an invalid ETag") {
  for (const std::string_view text : {"GolangRocksOnAzure", "", "*", "W/", "W/\"", "\"0x8D\"", "w/\"x\"",
                                      "W/\"x\",W/\"y", "W/\"x\", W/\"y\"", "W/'x'", "%", "W/\"x\" "}) {
    CAPTURE(text);
    const auto etag = parse_etag(text);
    REQUIRE_FALSE(etag.has_value());
    CHECK(etag.error() ==
          Error(ErrorCode::InvalidInput,
                "The etag value '" + std::string(text) +
                    "' specified in one of the request headers is not valid. Please make sure only one etag "
                    "value is specified and is valid."));
  }
  // A header may hold any byte, but an error message must be text.
  const auto etag = parse_etag("\xFF");
  REQUIRE_FALSE(etag.has_value());
  CHECK(etag.error().message.starts_with("The etag value '%FF' "));
}

TEST_CASE("an ETag without a time fails with ConditionNotMet") {
  for (const std::string_view text :
       {"W/\"\"", "W/\"x\"", "W/\"datetime''\"", "W/\"datetime'\"", "W/\"datetime'yesterday'\"",
        "W/\"datetime''2017-04-01T01%3A07%3A23.8881885Z''\"",  // recorded
        "W/\"2021-05-26T15:48:10Z\"", "W/\"datetime'2021-05-26T15:48:10Z' \""}) {
    CAPTURE(text);
    const auto etag = parse_etag(text);
    REQUIRE_FALSE(etag.has_value());
    CHECK(etag.error() == Error(ErrorCode::ConditionNotMet));
  }
}

TEST_CASE("keys may hold any character except four and the control characters") {
  for (const std::string_view key :
       {"", " ", "%", "'", "a'b\"<>|*:;,.=+&@!$()[]{}~`^", "\xC2\xA0", "\xC3\x80", "中", "😀", "\xC5\x80"}) {
    CAPTURE(key);
    CHECK(outcome(check_key_characters(key)) == "fine");
  }
  std::vector<std::string> illegal = {"/", "\\", "#", "?", "\x7F", "a/b", "ab?"};
  for (int c = 0; c < 0x20; ++c) illegal.push_back("a" + std::string(1, static_cast<char>(c)));
  for (int c = 0x80; c < 0xA0; ++c) illegal.push_back(std::string("\xC2") + static_cast<char>(c) + "z");
  for (const std::string& key : illegal) {
    CAPTURE(key);
    CHECK(outcome(check_key_characters(key)) == "OutOfRangeInput");
  }
}

TEST_CASE("property names are identifiers; letters outside ASCII are allowed") {
  for (const std::string& name :
       {std::string("a"), std::string("_"), std::string("_1"), std::string("Zz09_"), std::string("ETag"),
        std::string("timestamp"), std::string("啊齄丂狛狜"), std::string("naïve"), std::string("é"), std::string("x😀"),
        repeat("a", 255), repeat(kE, 255), "a" + repeat(kGrin, 127)}) {
    CAPTURE(name);
    CHECK(outcome(check_property_name(name)) == "fine");
  }
  for (const std::string& name :
       {std::string(), std::string("1"), std::string("1a"), std::string("a-b"), std::string("a b"), std::string("a.b"),
        std::string("a@b"), std::string("a:b"), std::string("a\0", 2), std::string("a\n"), std::string("a\x7F"),
        std::string("a\xC2\x85"), std::string("a\xC2\xA0"), std::string("\xE2\x80\x83x"), std::string("x\xE3\x80\x80"),
        std::string("\xEF\xBB\xBFx"), repeat("1", 255)}) {  // recorded
    CAPTURE(name);
    CHECK(outcome(check_property_name(name)) == "PropertyNameInvalid");
  }
  // The length, in code units, is checked before the characters.
  for (const std::string& name : {repeat("a", 256), repeat("1", 256), repeat(kE, 256), repeat(kGrin, 128)}) {
    CAPTURE(name);
    CHECK(outcome(check_property_name(name)) == "PropertyNameTooLong");
  }
}

TEST_CASE("the size of an entity is computed as the service does") {
  const EntityKey key{"pk", "r"};
  CHECK(entity_size({}, Properties{}) == 4);
  CHECK(entity_size(key, Properties{}) == 10);
  const struct {
    Value value;
    std::size_t size;
  } cases[] = {
      {std::string("abc"), 10},
      {std::string(kE), 6},
      {std::string(kGrin), 8},
      {true, 1},
      {std::int32_t{1}, 4},
      {std::int64_t{1}, 8},
      {1.0, 8},
      {kUnixEpoch, 8},
      {Guid{}, 16},
      {Binary{"abc"}, 7},
  };
  Properties all;
  std::size_t total = 10;
  for (const auto& c : cases) {
    CAPTURE(to_string(view_of(c.value)));
    CHECK(entity_size(key, {{"name", c.value}}) == 10 + 8 + 2 * 4 + c.size);
    all.push_back({"name", c.value});
    total += 8 + 2 * 4 + c.size;
  }
  CHECK(entity_size(key, all) == total);
}

TEST_CASE("each limit of an entity is exact") {
  const EntityKey key{"p", "r"};
  const auto text = [](std::string_view unit, std::size_t count) { return Properties{{"a", repeat(unit, count)}}; };
  const auto binary = [](std::size_t bytes) { return Properties{{"a", Binary{std::string(bytes, 'x')}}}; };
  const auto time = [](std::string_view when) { return Properties{{"a", at(when)}}; };
  const struct {
    std::string_view what;
    EntityKey key;
    Properties properties;
    std::string_view outcome;
  } cases[] = {
      {"empty keys", {"", ""}, {}, "fine"},
      {"252 properties", key, many(252), "fine"},
      {"253 properties", key, many(253), "TooManyProperties"},
      {"a slash in the partition key", {"a/b", "r"}, {}, "OutOfRangeInput"},
      {"a slash in the row key", {"p", "a/b"}, {}, "OutOfRangeInput"},
      {"partition key of 512", {repeat("k", 512), "r"}, {}, "fine"},
      {"partition key of 513", {repeat("k", 513), "r"}, {}, "PropertyValueTooLarge"},
      {"row key of 512 code units", {"p", repeat(kGrin, 256)}, {}, "fine"},
      {"row key of 514 code units", {"p", repeat(kGrin, 257)}, {}, "PropertyValueTooLarge"},
      {"row key of 512 characters of two bytes", {"p", repeat(kE, 512)}, {}, "fine"},
      {"row key of 513 characters of two bytes", {"p", repeat(kE, 513)}, {}, "PropertyValueTooLarge"},
      {"string of 32768", key, text("x", 32768), "fine"},
      {"string of 32769", key, text("x", 32769), "PropertyValueTooLarge"},
      {"string of 32768 characters of two bytes", key, text(kE, 32768), "fine"},
      {"string of 32770 code units", key, text(kGrin, 16385), "PropertyValueTooLarge"},
      {"binary of 65536", key, binary(65536), "fine"},
      {"binary of 65537", key, binary(65537), "PropertyValueTooLarge"},
      {"the first date", key, time("1601-01-01T00:00:00Z"), "fine"},
      {"just before the first date", key, time("1600-12-31T23:59:59.9999999Z"), "OutOfRangeInput"},
      {"the year 1", key, time("0001-01-01T00:00:00Z"), "OutOfRangeInput"},
      {"the last date", key, time("9999-12-31T23:59:59.9999999Z"), "fine"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    CHECK(outcome(check_entity(c.key, c.properties)) == c.outcome);
  }
}

TEST_CASE("an entity of 1 MiB is valid, one byte more is too large") {
  const EntityKey key{"p", "r"};
  Properties properties;
  for (int i = 0; i < 15; ++i) properties.push_back({"b" + std::to_string(i), Binary{std::string(65536, 'x')}});
  properties.push_back({"rest", Binary{}});
  const std::size_t left = kMaxEntityBytes - entity_size(key, properties);
  REQUIRE(left < kMaxBinaryBytes);
  properties.back().value = Binary{std::string(left, 'x')};
  CHECK(entity_size(key, properties) == kMaxEntityBytes);
  CHECK(outcome(check_entity(key, properties)) == "fine");
  properties.back().value = Binary{std::string(left + 1, 'x')};
  CHECK(outcome(check_entity(key, properties)) == "EntityTooLarge");
}

TEST_CASE("the order of checks is: number, key characters, size of the entity, sizes of values, range") {
  const Value before_1601 = at("1600-01-01");
  const Value large = std::string(40'000, 'x');
  const Value huge = std::string(kMaxEntityBytes, 'x');
  Properties all = many(253);
  all[0].value = before_1601;
  all[1].value = large;
  all[2].value = huge;
  CHECK(outcome(check_entity({"/", "r"}, all)) == "TooManyProperties");
  all.pop_back();
  CHECK(outcome(check_entity({"/", "r"}, all)) == "OutOfRangeInput");
  CHECK(outcome(check_entity({"p", "r"}, all)) == "EntityTooLarge");
  all[2].value = true;
  CHECK(outcome(check_entity({"p", "r"}, all)) == "PropertyValueTooLarge");
  all[1].value = true;
  CHECK(outcome(check_entity({"p", "r"}, all)) == "OutOfRangeInput");
  all[0].value = true;
  CHECK(outcome(check_entity({"p", "r"}, all)) == "fine");
}

TEST_CASE("table names are 3 to 63 letters and digits and start with a letter") {
  const struct {
    std::string name;
    std::string_view outcome;
  } cases[] = {
      {"abc", "fine"},
      {"A23", "fine"},
      {repeat("a", 63), "fine"},
      {"table", "fine"},
      {"tables1", "fine"},
      {"", "OutOfRangeInput"},
      {"ab", "OutOfRangeInput"},
      {repeat("a", 64), "OutOfRangeInput"},
      {"1ab", "InvalidResourceName"},
      {"_ab", "InvalidResourceName"},
      {"$ab", "InvalidResourceName"},
      {"a-b", "InvalidResourceName"},
      {"a b", "InvalidResourceName"},
      {"abé", "InvalidResourceName"},
      {std::string("ab\0", 3), "InvalidResourceName"},
      {"tables", "InvalidInput"},
      {"TABLES", "InvalidInput"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(outcome(check_table_name(c.name)) == c.outcome);
  }
  CHECK(check_table_name("ab").error().message ==
        "The specified resource name length is not within the permissible limits.");
}

TEST_CASE("a view finds properties and system properties by their exact name") {
  const Entity entity{
      {"p", "r"}, kUnixEpoch, {{"age", std::int32_t{39}}, {"Age", std::string("old")}, {"b", Binary{"x"}}}};
  const std::vector<PropertyView> properties = view_of(entity.properties);
  const EntityView view{entity.key.partition_key, entity.key.row_key, entity.timestamp, properties};
  CHECK(view.find("age") == ValueView(std::int32_t{39}));
  CHECK(view.find("Age") == ValueView(std::string_view("old")));
  CHECK(view.find("PartitionKey") == ValueView(std::string_view("p")));
  CHECK(view.find("RowKey") == ValueView(std::string_view("r")));
  CHECK(view.find("Timestamp") == ValueView(kUnixEpoch));
  CHECK_FALSE(view.find("timestamp"));
  CHECK_FALSE(view.find("AGE"));
  CHECK_FALSE(view.find(""));
  CHECK(to_entity(view) == entity);
}

TEST_CASE("an Error travels through Result::value as a ServiceException") {
  const Result<int> refused = Error(ErrorCode::EntityAlreadyExists);
  try {
    static_cast<void>(refused.value());
    FAIL("no exception");
  } catch (const ServiceException& exception) {
    CHECK(exception.error() == Error(ErrorCode::EntityAlreadyExists));
    CHECK(std::string_view(exception.what()) == "The specified entity already exists.");
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
