// Writing JSON bodies, byte for byte.
#include "odata/payload_writer.h"

#include <doctest/doctest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr std::string_view kBase = "https://acct.table.core.windows.net";

PayloadFormat format(MetadataLevel level) { return {level, kBase, "acct", "t1"}; }

Entity sample() {
  return {{"pk", "rk"},
          *parse_date_time("2017-01-05T03:25:36.9138667Z"),
          {{"StringProperty", std::string("stringSample")},
           {"BooleanProperty", true},
           {"BinaryProperty", Binary{"Sample"}},
           {"Int32Property", std::int32_t{42}},
           {"Int64Property", std::int64_t{5432873627392}},
           {"DoubleProperty", 4.81516},
           {"GuidProperty", *parse_guid("dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2")},
           {"DateTimeProperty", *parse_date_time("2014-05-07T08:20:53Z")},
           {"Nan", std::numeric_limits<double>::quiet_NaN()}}};
}

Entity person() {
  return {{"p", "r"},
          *parse_date_time("2021-05-26T15:48:10Z"),
          {{"age", std::int32_t{39}}, {"sex", std::string("male")}, {"large", std::int64_t{1}}}};
}

struct Viewed {
  explicit Viewed(const Entity& entity)
      : properties(view_of(entity.properties)),
        view{entity.key.partition_key, entity.key.row_key, entity.timestamp, properties} {}
  std::vector<PropertyView> properties;
  EntityView view;
};

std::string document(const PayloadFormat& how, const Entity& entity, const std::optional<Selection>& select = {}) {
  std::string out;
  write_entity(out, how, select, Viewed(entity).view);
  CAPTURE(out);
  CHECK(nlohmann::json::accept(out));
  return out;
}

std::string page(const PayloadFormat& how, const std::vector<Entity>& entities,
                 const std::optional<Selection>& select = {}) {
  std::string out;
  EntitySetWriter writer(out, how, select);
  for (const Entity& entity : entities) writer.add(Viewed(entity).view);
  writer.finish();
  CAPTURE(out);
  CHECK(nlohmann::json::accept(out));
  return out;
}

std::string table(MetadataLevel level) {
  std::string out;
  write_table(out, {level, kBase, "acct", {}}, "mytable");
  return out;
}

std::string tables(MetadataLevel level, const std::vector<std::string>& names) {
  std::string out;
  write_table_set(out, {level, kBase, "acct", {}}, names);
  return out;
}

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

// Recorded from the service.
TEST_CASE("an entity in full metadata has type, id, ETag, edit link, and all annotations, in the service's order") {
  CHECK(document(format(MetadataLevel::Full), sample()) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#t1/@Element",)"
        R"("odata.type":"acct.t1",)"
        R"j("odata.id":"https://acct.table.core.windows.net/t1(PartitionKey='pk',RowKey='rk')",)j"
        R"("odata.etag":"W/\"datetime'2017-01-05T03%3A25%3A36.9138667Z'\"",)"
        R"j("odata.editLink":"t1(PartitionKey='pk',RowKey='rk')","PartitionKey":"pk","RowKey":"rk",)j"
        R"("Timestamp@odata.type":"Edm.DateTime","Timestamp":"2017-01-05T03:25:36.9138667Z",)"
        R"("StringProperty":"stringSample","BooleanProperty":true,"BinaryProperty@odata.type":"Edm.Binary",)"
        R"("BinaryProperty":"U2FtcGxl","Int32Property":42,"Int64Property@odata.type":"Edm.Int64",)"
        R"("Int64Property":"5432873627392","DoubleProperty":4.81516,"GuidProperty@odata.type":"Edm.Guid",)"
        R"("GuidProperty":"dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2","DateTimeProperty@odata.type":"Edm.DateTime",)"
        R"("DateTimeProperty":"2014-05-07T08:20:53Z","Nan@odata.type":"Edm.Double","Nan":"NaN"})");
}

TEST_CASE("an entity in minimal metadata has context, ETag, and the annotations of its properties") {
  CHECK(document(format(MetadataLevel::Minimal), sample()) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#t1/@Element",)"
        R"("odata.etag":"W/\"datetime'2017-01-05T03%3A25%3A36.9138667Z'\"","PartitionKey":"pk","RowKey":"rk",)"
        R"("Timestamp":"2017-01-05T03:25:36.9138667Z",)"
        R"("StringProperty":"stringSample","BooleanProperty":true,"BinaryProperty@odata.type":"Edm.Binary",)"
        R"("BinaryProperty":"U2FtcGxl","Int32Property":42,"Int64Property@odata.type":"Edm.Int64",)"
        R"("Int64Property":"5432873627392","DoubleProperty":4.81516,"GuidProperty@odata.type":"Edm.Guid",)"
        R"("GuidProperty":"dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2","DateTimeProperty@odata.type":"Edm.DateTime",)"
        R"("DateTimeProperty":"2014-05-07T08:20:53Z","Nan@odata.type":"Edm.Double","Nan":"NaN"})");
}

TEST_CASE("an entity without metadata has no annotation at all") {
  CHECK(document(format(MetadataLevel::None), sample()) ==
        R"({"PartitionKey":"pk","RowKey":"rk","Timestamp":"2017-01-05T03:25:36.9138667Z",)"
        R"("StringProperty":"stringSample","BooleanProperty":true,"BinaryProperty":"U2FtcGxl",)"
        R"("Int32Property":42,)"
        R"("Int64Property":"5432873627392","DoubleProperty":4.81516,)"
        R"("GuidProperty":"dd3cb8f8-93b7-44e2-b74a-c0aa3b27a6d2","DateTimeProperty":"2014-05-07T08:20:53Z",)"
        R"("Nan":"NaN"})");
}

TEST_CASE("each value has its JSON form, and an annotation if the JSON form does not show the type") {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const struct {
    Value value;
    std::string_view members;
  } cases[] = {
      {std::string(), R"("x":"")"},
      {std::string("a\"b\\c/d'é"), R"("x":"a\"b\\c/d'é")"},
      {false, R"("x":false)"},
      {std::numeric_limits<std::int32_t>::min(), R"("x":-2147483648)"},
      {std::numeric_limits<std::int64_t>::min(), R"("x@odata.type":"Edm.Int64","x":"-9223372036854775808")"},
      {std::numeric_limits<std::int64_t>::max(), R"("x@odata.type":"Edm.Int64","x":"9223372036854775807")"},
      {5.0, R"("x":5.0)"},
      {-0.0, R"("x":0.0)"},
      {std::numeric_limits<double>::max(), R"("x":1.7976931348623157E+308)"},
      {kInfinity, R"("x@odata.type":"Edm.Double","x":"Infinity")"},
      {-kInfinity, R"("x@odata.type":"Edm.Double","x":"-Infinity")"},
      {*parse_date_time("2014-05-07T08:20:53.200Z"), R"("x@odata.type":"Edm.DateTime","x":"2014-05-07T08:20:53.2Z")"},
      {Binary{}, R"("x@odata.type":"Edm.Binary","x":"")"},
      {Binary{"f"}, R"("x@odata.type":"Edm.Binary","x":"Zg==")"},
      {Guid{}, R"("x@odata.type":"Edm.Guid","x":"00000000-0000-0000-0000-000000000000")"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.members);
    const Entity entity{{"p", "r"}, kUnixEpoch, {{"x", c.value}}};
    CHECK(document(format(MetadataLevel::Minimal), entity).ends_with("Z\"," + std::string(c.members) + "}"));
    const auto value_only = c.members.substr(c.members.rfind("\"x\":"));
    CHECK(document(format(MetadataLevel::None), entity).ends_with("Z\"," + std::string(value_only) + "}"));
  }
}

TEST_CASE("a page of entities has one context, its entities have none") {
  const std::string minimal_item =
      R"({"odata.etag":"W/\"datetime'2021-05-26T15%3A48%3A10Z'\"","PartitionKey":"p","RowKey":"r",)"
      R"("Timestamp":"2021-05-26T15:48:10Z","age":39,"sex":"male","large@odata.type":"Edm.Int64",)"
      R"("large":"1"})";
  const std::string head = R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#t1","value":[)";
  CHECK(page(format(MetadataLevel::Minimal), {}) == head + "]}");
  CHECK(page(format(MetadataLevel::Minimal), {person()}) == head + minimal_item + "]}");
  CHECK(page(format(MetadataLevel::Minimal), {person(), person()}) == head + minimal_item + "," + minimal_item + "]}");
  CHECK(page(format(MetadataLevel::None), {}) == R"({"value":[]})");
  CHECK(page(format(MetadataLevel::None), {person()}) ==
        R"({"value":[{"PartitionKey":"p","RowKey":"r","Timestamp":"2021-05-26T15:48:10Z","age":39,)"
        R"("sex":"male",)"
        R"("large":"1"}]})");
  CHECK(page(format(MetadataLevel::Full), {person()}) ==
        head + R"j({"odata.type":"acct.t1",)j"
               R"j("odata.id":"https://acct.table.core.windows.net/t1(PartitionKey='p',RowKey='r')",)j"
               R"j("odata.etag":"W/\"datetime'2021-05-26T15%3A48%3A10Z'\"",)j"
               R"j("odata.editLink":"t1(PartitionKey='p',RowKey='r')",)j"
               R"("PartitionKey":"p","RowKey":"r","Timestamp@odata.type":"Edm.DateTime",)"
               R"("Timestamp":"2021-05-26T15:48:10Z",)"
               R"("age":39,"sex":"male","large@odata.type":"Edm.Int64","large":"1"}]})");
}

// The writer uses blocks of 4 KiB. This tests texts that end near the edges, escapes across edges, and large
// binaries.
TEST_CASE("values of any length, next to each other, read back unchanged") {
  constexpr std::size_t kBlock = BufferedText::kBlockBytes;
  std::vector<Entity> entities;
  nlohmann::json expected = nlohmann::json::array();
  for (const std::size_t size : {std::size_t{0}, kBlock / 4 * 3 - 1, kBlock / 4 * 3, kBlock / 4 * 3 + 1, kBlock - 40,
                                 kBlock - 1, kBlock, kBlock + 1, 3 * kBlock}) {
    std::string text(size, 'x'), escaped(size, '"'), bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7);
    entities.push_back(
        {{"p", std::to_string(size)}, DateTime{}, {{"Text", text}, {"Escaped", escaped}, {"Bytes", Binary{bytes}}}});
    expected.push_back({text, escaped, encode_base64(bytes)});
  }
  const auto read = nlohmann::json::parse(page(format(MetadataLevel::None), entities));
  nlohmann::json found = nlohmann::json::array();
  for (const auto& item : read["value"]) found.push_back({item["Text"], item["Escaped"], item["Bytes"]});
  CHECK(found == expected);
}

TEST_CASE("keys are encoded in links, but unchanged as values") {
  Entity entity = person();
  entity.key = {"a'b \"c\"", "é"};
  const std::string full = document(format(MetadataLevel::Full), entity);
  CAPTURE(full);
  CHECK(full.find(R"j(.windows.net/t1(PartitionKey='a''b%20%22c%22',RowKey='%C3%A9')")j") != std::string::npos);
  CHECK(full.find(R"j("odata.editLink":"t1(PartitionKey='a''b%20%22c%22',RowKey='%C3%A9')")j") != std::string::npos);
  CHECK(full.find(R"("PartitionKey":"a'b \"c\"","RowKey":"é")") != std::string::npos);
}

TEST_CASE("$select is read as trimmed names without duplicates, and keeps its text for the context") {
  const struct {
    std::string_view text, context;
    std::vector<std::string> names;
  } cases[] = {
      {"", "", {}},
      {"age", "age", {"age"}},
      {"age,sex", "age,sex", {"age", "sex"}},
      {"age, sex", "age,%20sex", {"age", "sex"}},
      {" age , sex ", "%20age%20,%20sex%20", {"age", "sex"}},
      {"age,,sex,", "age,,sex,", {"age", "sex"}},
      {"age,age,Age", "age,age,Age", {"age", "Age"}},
      {"*", "*", {}},
      {" * ", "%20*%20", {}},
      {"age,*", "age,*", {}},
      {",", ",", {}},
      {" ", "", {}},
      {" \t ", "", {}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const Selection selection = parse_select(c.text).value();
    CHECK(selection.context == c.context);
    CHECK(selection.names == c.names);
  }
}

// Recorded from the service: `$select=['age, sex']`.
TEST_CASE("$select refuses an item that does not begin like a name") {
  const struct {
    std::string_view text;
    int position;
  } cases[] = {
      {"['age, sex']", 0}, {"age,'sex'", 4},    {"\xC3\xA9, 1", 3}, {" -", 1},
      {"*,1", -1},         {"_a,\xC3\xA9", -1}, {"a b", -1},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto selection = parse_select(c.text);
    CHECK(selection.has_error() == (c.position >= 0));
    if (!selection)
      CHECK(selection.error() == Error(ErrorCode::InvalidInput,
                                       "An identifier was expected at position " + std::to_string(c.position) + "."));
  }
}

TEST_CASE("$select takes 255 names") {
  std::string text;
  for (int i = 0; i < 255; ++i) text += "n" + std::to_string(i) + ",";
  CHECK(parse_select(text).value().names.size() == 255);
  CHECK(parse_select(text + "one_more").value().names.size() == 255);
  CHECK(parse_select(text + "one_more,*").value().names.empty());
}

// The context and the null for a missing property are recorded from the service.
TEST_CASE("a selection keeps the ETag and the stored order, and shows missing properties as null") {
  const PayloadFormat minimal = format(MetadataLevel::Minimal);
  const std::string etag = R"("odata.etag":"W/\"datetime'2021-05-26T15%3A48%3A10Z'\"")";
  const struct {
    std::string_view select, context, members;
  } cases[] = {
      {"age,sex,xyz", "age,sex,xyz", R"(,"age":39,"sex":"male","xyz":null)"},
      {"age, sex", "age,%20sex", R"(,"age":39,"sex":"male")"},
      {"zzz,sex,aaa,age", "zzz,sex,aaa,age", R"(,"age":39,"sex":"male","zzz":null,"aaa":null)"},
      {"large", "large", R"(,"large@odata.type":"Edm.Int64","large":"1")"},
      {"RowKey,PartitionKey", "RowKey,PartitionKey", R"(,"PartitionKey":"p","RowKey":"r")"},
      {"sex,Timestamp", "sex,Timestamp", R"(,"Timestamp":"2021-05-26T15:48:10Z","sex":"male")"},
      {"timestamp,AGE", "timestamp,AGE", R"(,"timestamp":null,"AGE":null)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.select);
    const std::optional<Selection> select = parse_select(c.select).value();
    const std::string base = R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#t1)";
    const std::string tail = "&$select=" + std::string(c.context) + "\",";
    const std::string members = etag + std::string(c.members) + "}";
    CHECK(document(minimal, person(), select) == base + "/@Element" + tail + members);
    CHECK(page(minimal, {person()}, select) == base + tail + "\"value\":[{" + members + "]}");
  }
}

TEST_CASE("an empty selection and * select everything, and appear in the context") {
  const PayloadFormat minimal = format(MetadataLevel::Minimal);
  const std::string everything = document(minimal, person());
  for (const std::string_view text : {"", "*"}) {
    CAPTURE(text);
    std::string expected = everything;
    expected.insert(expected.find("/@Element") + 9, "&$select=" + std::string(text));
    CHECK(document(minimal, person(), parse_select(text).value()) == expected);
  }
}

TEST_CASE(
    "a selection in full metadata keeps type, id, ETag and link; without metadata it keeps only the selected "
    "properties") {
  const std::optional<Selection> select = parse_select("Timestamp,xyz").value();
  CHECK(document(format(MetadataLevel::Full), person(), select) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/)"
        R"($metadata#t1/@Element&$select=Timestamp,xyz",)"
        R"j("odata.type":"acct.t1",)j"
        R"j("odata.id":"https://acct.table.core.windows.net/t1(PartitionKey='p',RowKey='r')",)j"
        R"j("odata.etag":"W/\"datetime'2021-05-26T15%3A48%3A10Z'\"",)j"
        R"j("odata.editLink":"t1(PartitionKey='p',RowKey='r')",)j"
        R"("Timestamp@odata.type":"Edm.DateTime","Timestamp":"2021-05-26T15:48:10Z","xyz":null})");
  CHECK(document(format(MetadataLevel::None), person(), select) ==
        R"({"Timestamp":"2021-05-26T15:48:10Z","xyz":null})");
}

TEST_CASE("an entity without any selected member is an empty object") {
  Selection nothing_there{"", {"PartitionKeys"}};
  CHECK(document(format(MetadataLevel::None), person(), nothing_there) == R"({"PartitionKeys":null})");
}

TEST_CASE("text from clients cannot break out of the JSON") {
  PayloadFormat hostile{MetadataLevel::Full, "http://h\"ost\\", "acc\"t", "t\n1"};
  Entity entity = person();
  entity.properties.push_back({"na\"me", std::string("\x01")});
  const std::optional<Selection> select = parse_select("a\"b,na\"me").value();
  const auto parsed = nlohmann::json::parse(document(hostile, entity, select));
  CHECK(parsed["odata.type"] == "acc\"t.t\n1");
  CHECK(parsed["odata.metadata"] == "http://h\"ost\\/$metadata#t\n1/@Element&$select=a\"b,na\"me");
  CHECK(parsed["na\"me"] == "\x01");
  CHECK(parsed["a\"b"].is_null());
}

TEST_CASE("tables are written at each metadata level") {
  CHECK(table(MetadataLevel::None) == R"({"TableName":"mytable"})");
  CHECK(table(MetadataLevel::Minimal) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#Tables/@Element",)"
        R"("TableName":"mytable"})");
  CHECK(table(MetadataLevel::Full) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#Tables/@Element",)"
        R"("odata.type":"acct.Tables",)"
        R"j("odata.id":"https://acct.table.core.windows.net/Tables('mytable')",)j"
        R"j("odata.editLink":"Tables('mytable')",)j"
        R"("TableName":"mytable"})");
  CHECK(tables(MetadataLevel::None, {"a", "b"}) == R"({"value":[{"TableName":"a"},{"TableName":"b"}]})");
  CHECK(tables(MetadataLevel::Minimal, {}) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#Tables","value":[]})");
  CHECK(tables(MetadataLevel::Full, {"a"}) ==
        R"({"odata.metadata":"https://acct.table.core.windows.net/$metadata#Tables",)"
        R"("value":[{"odata.type":"acct.Tables",)"
        R"j("odata.id":"https://acct.table.core.windows.net/Tables('a')","odata.editLink":"Tables('a')",)j"
        R"j("TableName":"a"}]})j");
}

TEST_CASE("the error document has the code and the message") {
  std::string out;
  write_error(out, "ResourceNotFound", "The specified resource does not exist.\nRequestId:1\nTime:\"now\"");
  CHECK(out == R"({"odata.error":{"code":"ResourceNotFound","message":{"lang":"en-US",)"
               R"("value":"The specified resource does not exist.\nRequestId:1\nTime:\"now\""}}})");
}

TEST_CASE("the metadata levels are named as in content types") {
  CHECK(to_string(MetadataLevel::None) == "nometadata");
  CHECK(to_string(MetadataLevel::Minimal) == "minimalmetadata");
  CHECK(to_string(MetadataLevel::Full) == "fullmetadata");
}

TEST_CASE("JSON strings escape only quotes, backslashes and control characters") {
  CHECK(json_string("") == R"("")");
  CHECK(json_string("plain / 'text' é 中 😀 \x7F") == "\"plain / 'text' é 中 😀 \x7F\"");
  CHECK(json_string("\"\\") == R"("\"\\")");
  CHECK(json_string("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(json_string(std::string_view("\0\x01\x1F", 3)) == R"("\u0000\u0001\u001f")");
}

TEST_CASE("JSON strings of every mixture read back unchanged") {
  // Many characters that need escapes, and their neighbours, so that words of eight bytes have all
  // combinations.
  const std::vector<std::string> units = {"\"", "\\",       "\x1F", " ",  "!",   "#", "[", "]", std::string(1, '\0'),
                                          "a",  "abcdefgh", "é",    "😀", "\x7F"};
  std::mt19937 random(8259);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto count = random() % 12; count > 0; --count) text += units[random() % units.size()];
    const std::string json = json_string(text);
    if (nlohmann::json::parse(json) != text) {
      CAPTURE(json);
      FAIL("reads back as another text");
    }
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
