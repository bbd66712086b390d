// Reading JSON bodies: types, annotations, errors and their order.
#include "odata/payload_reader.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "base/text.h"

namespace rocktable::TEST_FILE {
namespace {

// Returns `p=.. r=.. name=literal ...`, or the error code.
std::string read(std::string_view json) {
  const auto payload = read_entity(json);
  if (!payload) return std::string(to_string(payload.error().code));
  std::string out;
  if (payload->partition_key) out += "p=" + *payload->partition_key + ' ';
  if (payload->row_key) out += "r=" + *payload->row_key + ' ';
  for (const Property& property : payload->properties) {
    out += property.name + '=' + to_string(view_of(property.value)) + ' ';
  }
  return std::string(trim(out));
}

// Returns what is read for a property `x` with this JSON and annotation.
std::string annotated(std::string_view json, std::string_view type) {
  return R"({"x":)" + std::string(json) + R"(,"x@odata.type":")" + std::string(type) + "\"}";
}

std::string object_of(int count, std::string_view prefix, std::string_view value) {
  std::string json = "{";
  for (int i = 0; i < count; ++i) {
    json += (i > 0 ? ",\"" : "\"") + std::string(prefix) + std::to_string(i) + "\":" + std::string(value);
  }
  return json + "}";
}

TEST_CASE("a property without annotation has the type of its JSON value") {
  const struct {
    std::string_view json, read;
  } cases[] = {
      {R"({"x":"text"})", "x='text'"},
      {R"({"x":""})", "x=''"},
      {R"({"x":"2014-05-07T08:20:53Z"})", "x='2014-05-07T08:20:53Z'"},
      {R"({"x":"NaN"})", "x='NaN'"},
      {R"({"x":"c29tZWJ5dGVz"})", "x='c29tZWJ5dGVz'"},
      {R"({"x":"a\"\\\/\b\n\u00e9\ud83d\ude00"})", "x='a\"\\/\b\né😀'"},
      {R"({"x":true,"y":false})", "x=true y=false"},
      {R"({"x":39})", "x=39"},
      {R"({"x":-0})", "x=0"},
      {R"({"x":2147483647,"y":-2147483648})", "x=2147483647 y=-2147483648"},
      {R"({"x":2147483648})", "x=2147483648.0"},
      {R"({"x":-2147483649})", "x=-2147483649.0"},
      {R"({"x":1498179600055,"y":1})", "x=1498179600055.0 y=1"},
      {R"({"x":9223372036854775807})", "x=9.2233720368547758E+18"},
      {R"({"x":9223372036854775808})", "x=9.2233720368547758E+18"},
      {R"({"x":-9223372036854775809,"y":"[1]"})", "x=-9.2233720368547758E+18 y='[1]'"},
      {R"({"x":100000000000000000000})", "x=1E+20"},
      {R"({"x":9223372036854775808000})", "x=9.2233720368547758E+21"},
      {R"({"x":3.1})", "x=3.1"},
      {R"({"x":3.0})", "x=3.0"},
      {R"({"x":1E+20})", "x=1E+20"},
      {R"({"x":1e2})", "x=100.0"},
      {R"({"x":1e-400})", "x=0.0"},
      {R"({"x":1e400})", "InvalidInput"},
      {R"({"x":{}})", "InvalidInput"},
      {R"({"x":[]})", "InvalidInput"},
      {R"({"x":[1.0]})", "InvalidInput"},
      {R"({"x":{"y":1}})", "InvalidInput"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    CHECK(read(c.json) == c.read);
  }
}

TEST_CASE("an annotation sets the type, and the value must match it") {
  const struct {
    std::string_view json, type, read;
  } cases[] = {
      {R"("male")", "Edm.String", "x='male'"},
      {"5", "Edm.String", "InvalidInput"},
      {"true", "Edm.String", "InvalidInput"},

      {"true", "Edm.Boolean", "x=true"},
      {R"("true")", "Edm.Boolean", "x=true"},
      {R"("False")", "Edm.Boolean", "x=false"},
      {R"("yes")", "Edm.Boolean", "InvalidInput"},
      {R"("")", "Edm.Boolean", "InvalidInput"},
      {"1", "Edm.Boolean", "InvalidInput"},

      {"5", "Edm.Int32", "x=5"},
      {R"("5")", "Edm.Int32", "x=5"},
      {"2147483648", "Edm.Int32", "InvalidInput"},
      {R"("2147483648")", "Edm.Int32", "InvalidInput"},
      {"5.0", "Edm.Int32", "InvalidInput"},
      {"true", "Edm.Int32", "InvalidInput"},

      {R"("39")", "Edm.Int64", "x=39L"},
      {"39", "Edm.Int64", "x=39L"},
      {R"("9223372036854775807")", "Edm.Int64", "x=9223372036854775807L"},
      {R"("-9223372036854775808")", "Edm.Int64", "x=-9223372036854775808L"},
      {"9223372036854775807", "Edm.Int64", "x=9223372036854775807L"},
      {"-9223372036854775808", "Edm.Int64", "x=-9223372036854775808L"},
      {R"("9223372036854775808")", "Edm.Int64", "InvalidInput"},
      {"9223372036854775808", "Edm.Int64", "InvalidInput"},
      {"100000000000000000000", "Edm.Int64", "InvalidInput"},
      {R"("")", "Edm.Int64", "InvalidInput"},
      {R"("4.0")", "Edm.Int64", "InvalidInput"},
      {"4.0", "Edm.Int64", "InvalidInput"},

      {"5", "Edm.Double", "x=5.0"},
      {"-5", "Edm.Double", "x=-5.0"},
      {"3.1", "Edm.Double", "x=3.1"},
      {R"("10")", "Edm.Double", "x=10.0"},
      {R"("200.23")", "Edm.Double", "x=200.23"},
      {R"("123456789012345.12")", "Edm.Double", "x=123456789012345.12"},
      {R"("NaN")", "Edm.Double", "x=NaN"},
      {R"("Infinity")", "Edm.Double", "x=INF"},
      {R"("-Infinity")", "Edm.Double", "x=-INF"},
      {R"("INF")", "Edm.Double", "InvalidInput"},
      {R"("-INF")", "Edm.Double", "InvalidInput"},
      {R"("1e400")", "Edm.Double", "InvalidInput"},
      {R"("")", "Edm.Double", "InvalidInput"},
      {"true", "Edm.Double", "InvalidInput"},
      {"18446744073709551615", "Edm.Double", "x=1.8446744073709552E+19"},

      {R"("2014-05-07T08:20:53Z")", "Edm.DateTime", "x=datetime'2014-05-07T08:20:53Z'"},
      {R"("2014-05-07T10:20:53.200+02:00")", "Edm.DateTime", "x=datetime'2014-05-07T08:20:53.2Z'"},
      {R"("0001-01-01T00:00:00Z")", "Edm.DateTime", "x=datetime'0001-01-01T00:00:00Z'"},  // check_entity refuses it
      {R"("yesterday")", "Edm.DateTime", "InvalidInput"},
      {"39", "Edm.DateTime", "InvalidInput"},

      {R"("C9DA6455-213D-42C9-9A79-3E9149A57833")", "Edm.Guid", "x=guid'c9da6455-213d-42c9-9a79-3e9149a57833'"},
      {R"("{c9da6455-213d-42c9-9a79-3e9149a57833}")", "Edm.Guid", "InvalidInput"},
      {R"("c9da6455213d42c99a793e9149a57833")", "Edm.Guid", "InvalidInput"},

      {R"("YmluYXJ5")", "Edm.Binary", "x=X'62696e617279'"},
      {R"("")", "Edm.Binary", "x=X''"},
      {R"("YmluYXJ")", "Edm.Binary", "InvalidInput"},
      {"1", "Edm.Binary", "InvalidInput"},

      {"5", "Edm.Decimal", "InvalidInput"},
      {R"("x")", "", "InvalidInput"},
      {R"("x")", "edm.string", "InvalidInput"},
      {"[1.0]", "Edm.Double", "InvalidInput"},
      {"{}", "Edm.String", "InvalidInput"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    CAPTURE(c.type);
    CHECK(read(annotated(c.json, c.type)) == c.read);
  }
}

TEST_CASE("an annotation may come before or after its value, or without one") {
  const struct {
    std::string_view json, read;
  } cases[] = {
      {R"({"sex":"male","sex@odata.type":"Edm.String"})", "sex='male'"},
      {R"({"n@odata.type":"Edm.Int64","n":"1"})", "n=1L"},
      {R"({"n":"1","a":true,"n@odata.type":"Edm.Int64"})", "n=1L a=true"},
      {R"({"a":"1","b":"2","c":"3","b@odata.type":"Edm.Int64"})", "a='1' b=2L c='3'"},
      {R"({"x@odata.type":"Edm.Int64"})", ""},
      {R"({"x@odata.type":"Edm.Nonsense"})", ""},
      {R"({"x@odata.type":1})", ""},
      {R"({"@odata.type":"Edm.Int64","x":1})", "x=1"},
      {R"({"x":1,"x@odata.type":1})", "InvalidInput"},
      {R"({"x":1,"x@odata.type":null})", "InvalidInput"},
      {R"({"x":1,"x@odata.type":["Edm.Int64"]})", "InvalidInput"},
      {R"({"odata.metadata":"m","odata.etag":"e","odata.type":{"a":[1]},"odata.id":1,)"
       R"("odata.editLink":null,"x":1})",
       "x=1"},
      {R"({"x@odata.type.more":"y","x":1})", "x=1"},
      {R"({"odata":1})", "odata=1"},
      {R"({"x@odata":1})", "PropertyNameInvalid"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    CHECK(read(c.json) == c.read);
  }
}

// Only an insert refuses them; for other writes the URL has the keys. Recorded from the service.
TEST_CASE("keys that are no text are noted") {
  const struct {
    std::string_view json;
    bool typed;
  } cases[] = {
      {R"({"PartitionKey":"p","RowKey":"r"})", false},
      {R"({"PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":null})", false},
      {R"({"PartitionKey":1,"RowKey":"r"})", true},
      {R"({"RowKey":true})", true},
      {R"({"RowKey":99999999999999999999})", true},
      {R"({"RowKey":"1","RowKey@odata.type":"Edm.Int32"})", true},
      {R"({"RowKey":"YQ==","RowKey@odata.type":"Edm.Binary"})", true},
      {R"({"PartitionKey":"2022-04-01T09:30:45Z","PartitionKey@odata.type":"Edm.DateTime","RowKey":"r"})", true},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    const auto payload = read_entity(c.json);
    REQUIRE(payload.has_value());
    CHECK(payload->has_typed_key == c.typed);
    CHECK(payload->properties.empty());
  }
  CHECK(read(R"({"RowKey":"x","RowKey@odata.type":"Edm.Int32"})") == "InvalidInput");
  CHECK(read(R"({"RowKey":"x","RowKey@odata.type":"Edm.Nonsense"})") == "InvalidInput");
}

TEST_CASE("keys are text or absent") {
  const struct {
    std::string_view json, read;
  } cases[] = {
      {R"({"PartitionKey":"p","RowKey":"r"})", "p=p r=r"},
      {R"({"RowKey":"r","x":1,"PartitionKey":"p"})", "p=p r=r x=1"},
      {R"({"PartitionKey":"p","PartitionKey@odata.type":"Edm.String","RowKey":"a/b"})", "p=p r=a/b"},
      {R"({"PartitionKey":null,"RowKey":"r"})", "r=r"},
      {R"({"PartitionKey":"p"})", "p=p"},
      {R"({"partitionkey":"p"})", "partitionkey='p'"},
      {R"({"RowKey":{}})", "InvalidInput"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    CHECK(read(c.json) == c.read);
  }
}

TEST_CASE("any Timestamp is ignored; names that differ in case are ordinary properties") {
  CHECK(read(R"({"Timestamp":"0001-01-01T00:00:00Z","Timestamp@odata.type":"Edm.DateTime","x":1})") == "x=1");
  CHECK(read(R"({"Timestamp":{"a":1},"Timestamp@odata.type":7})") == "");
  CHECK(read(R"({"timestamp":"t","ETag":"1","etag":"2","Etag":"3"})") == "timestamp='t' ETag='1' etag='2' Etag='3'");
}

TEST_CASE("null drops the property, annotated or not") {
  CHECK(read(R"({"a":null,"b":1})") == "b=1");
  CHECK(read(R"({"a":null,"a@odata.type":"Edm.Int64","b":1})") == "b=1");
  CHECK(read(R"({"a@odata.type":"Edm.Nonsense","a":null})") == "");
}

TEST_CASE("an empty object is read, an empty body is not") {
  for (const std::string_view json : {"{}", " {} "}) CHECK(read(json) == "");
  for (const std::string_view json : {std::string_view(), std::string_view(""), std::string_view(" \r\n\t")})
    CHECK(read_entity(json).error() == unreadable_body());
}

TEST_CASE("text that is not a JSON object is refused") {
  const std::string_view cases[] = {
      "null",
      "1",
      "\"text\"",
      "[]",
      R"([{"x":1}])",
      "{",
      "}",
      R"({"x")",
      R"({"x":)",
      R"({"x":1)",
      R"({"x":1,})",
      R"({,"x":1})",
      R"({"x" 1})",
      R"({x:1})",
      R"({'x':1})",
      R"({"x":1}{)",
      R"({}{})",
      R"({} x)",
      R"({"x":01})",
      R"({"x":1.})",
      R"({"x":.5})",
      R"({"x":+1})",
      R"({"x":-})",
      R"({"x":0x1})",
      R"({"x":NaN})",
      R"({"x":Infinity})",
      R"({"x":nul})",
      R"({"x":True})",
      R"({"x":"unclosed)",
      R"({"x":"\q"})",
      R"({"x":"\u12"})",
      "{\"x\":\"a\nb\"}",
      "\xEF\xBB\xBF{}",  // a byte order mark
      "{\"x\":\"\xFF\"}",
      "{\"x\":\"\xC3\"}",
      "{\"\xED\xA0\x80\":1}",  // not UTF-8
      R"({"x":"\ud800"})",
      R"({"x":"\udc00"})",
      R"({"x":"\ud800\ud800"})",
      R"({"x":"\ude00\ud83d"})",
      R"({"\ud800":1})",  // half surrogates
      R"({"x":00000000000000000000000})",
      R"({"x":--10000000000000000000000})",
      R"({"x":1000000000000-00000000000})",
      R"({100000000000000000000000:1})",
      "100000000000000000000000",
      "/**/{}",
  };
  for (const std::string_view json : cases) {
    CAPTURE(json);
    CHECK(read(json) == "InvalidInput");
  }
  CHECK(read(std::string_view("{}\0", 3)) == "InvalidInput");
  CHECK(read(std::string_view("{\"x\":\"\0\"}", 9)) == "InvalidInput");
  CHECK(read(R"({"x":"\u0000"})") == std::string("x='\0'", 5));
}

// JavaScript writes the double 1e20 like this.
TEST_CASE("a double may be written as an integer of any length") {
  const std::string rest =
      R"(,"x@odata.type":"Edm.Double","y":"[1,\"100000000000000000000\\","z@odata.type":"Edm.Int64",)"
      R"("z":-123456789012345678})";
  CHECK(read(R"({"x":100000000000000000000)" + rest) ==
        R"(x=1E+20 y='[1,"100000000000000000000\' z=-123456789012345678L)");
  CHECK(read(R"({"x":-18446744073709551616)" + rest).starts_with("x=-1.8446744073709552E+19 y="));
  CHECK(read(R"({"x": 1)" + std::string(308, '0') + " " + rest).starts_with("x=1E+308 y="));
  CHECK(read(R"({"x":1)" + std::string(309, '0') + rest) == "InvalidInput");
  // Such a number does not make arrays valid.
  CHECK(read(R"({"x":100000000000000000000,"x@odata.type":"Edm.Double","y":[1.0],)"
             R"("y@odata.type":"Edm.Double"})") == "InvalidInput");
}

TEST_CASE("a deeply nested document is refused") {
  for (const int depth : {10, 1'000, 1'100, 200'000}) {
    CAPTURE(depth);
    std::string json = R"({"x":)";
    json.append(static_cast<std::size_t>(depth), '[');
    CHECK(read(json) == "InvalidInput");
    json.append(static_cast<std::size_t>(depth), ']');
    CHECK(read(json + "}") == "InvalidInput");
  }
}

TEST_CASE("ignored members may nest, but only to a limit") {
  const auto nested = [](std::size_t depth) {
    return R"({"odata.x":)" + std::string(depth, '[') + std::string(depth, ']') + R"(,"x":1})";
  };
  CHECK(read(nested(1'000)) == "x=1");
  CHECK(read(nested(1'100)) == "InvalidInput");
  CHECK(read(nested(1'000'000)) == "InvalidInput");
}

TEST_CASE("252 properties are accepted, one more is too many, nulls and annotations and keys do not count") {
  CHECK(read_entity(object_of(252, "p", "1")).value().properties.size() == 252);
  CHECK(read(object_of(253, "p", "1")) == "TooManyProperties");
  CHECK(read(object_of(100'000, "p", "1")) == "TooManyProperties");
  CHECK(read(object_of(1'000, "p", "null")) == "");
  std::string json = object_of(252, "p", R"("1")");
  json.pop_back();
  for (int i = 0; i < 252; ++i) json += ",\"p" + std::to_string(i) + "@odata.type\":\"Edm.Int64\"";
  json += R"(,"PartitionKey":"p","RowKey":"r","Timestamp":"t","odata.etag":"e"})";
  const auto payload = read_entity(json);
  REQUIRE(payload.has_value());
  CHECK(payload->properties.size() == 252);
  for (const Property& property : payload->properties) CHECK(type_of(property.value) == EdmType::Int64);
}

TEST_CASE("duplicate names are refused") {
  for (const std::string_view json : {R"({"x":1,"x":1})", R"({"x":1,"y":2,"x":"3"})", R"({"x":null,"x":1})",
                                      R"({"PartitionKey":"p","PartitionKey":"p"})", R"({"x":1,"\u0078":2})",
                                      R"({"x":"1","x@odata.type":"Edm.Int64","x@odata.type":"Edm.Guid"})"}) {
    CAPTURE(json);
    CHECK(read(json) == "DuplicatePropertiesSpecified");
  }
}

TEST_CASE("the order of checks is: JSON, number, names, duplicates, values") {
  const std::string long_name = "\"" + std::string(256, 'a') + "\":1";
  std::string json = object_of(253, "p", "{}");
  json.insert(1, long_name + ",\"a-b\":1,\"p0\":1,");
  CHECK(read(json + "x") == "InvalidInput");
  CHECK(read(json) == "TooManyProperties");
  CHECK(read("{\"x\":{},\"x\":1," + long_name + "}") == "PropertyNameTooLong");
  CHECK(read(R"({"x":{},"x":1,"a-b":1})") == "PropertyNameInvalid");
  CHECK(read(R"({"x":{},"x":1})") == "DuplicatePropertiesSpecified");
  CHECK(read(R"({"x":{}})") == "InvalidInput");
}

TEST_CASE("property names are checked") {
  CHECK(read("{\"" + std::string(255, 'a') + "\":1}").ends_with("a=1"));
  CHECK(read("{\"" + std::string(256, 'a') + "\":1}") == "PropertyNameTooLong");
  CHECK(read("{\"" + std::string(255, '1') + "\":1}") == "PropertyNameInvalid");
  CHECK(read(R"({"":1})") == "PropertyNameInvalid");
  CHECK(read(R"({"a b":1})") == "PropertyNameInvalid");
  CHECK(read(R"({"a\u0000":1})") == "PropertyNameInvalid");
  CHECK(read(R"({"啊齄丂狛狜":"啊齄丂狛狜"})") == "啊齄丂狛狜='啊齄丂狛狜'");
}

TEST_CASE("a large body is read, and then a small one") {
  const std::string text(3'000'000, 'x');
  const auto payload = read_entity(R"({"x":")" + text + "\"}");
  REQUIRE(payload.has_value());
  CHECK(payload->properties.at(0).value == Value(text));
  CHECK(read(R"({"x":1})") == "x=1");
}

TEST_CASE("a body with the fields of the body before is read by its own values") {
  CHECK(read(R"({"PartitionKey":"p","x@odata.type":"Edm.Int64","x":"1","y":null,"z":true})") == "p=p x=1L z=true");
  CHECK(read(R"({"PartitionKey":"q","x@odata.type":"Edm.Guid","x":"1","y":2,"z":true})") == "InvalidInput");
  CHECK(read(R"({"PartitionKey":null,"x@odata.type":"Edm.Double","x":"1","y":2,"z":null})") == "x=1.0 y=2");
  CHECK(read(R"({"PartitionKey":7,"x@odata.type":"Edm.Double","x":"1","y":2,"z":null})") == "x=1.0 y=2");
}

TEST_CASE("a body with other fields than the body before is checked anew") {
  const std::string_view first = R"({"x":1,"y":2})";
  const struct {
    std::string_view json, result;
  } cases[] = {
      {R"({"x":1})", "x=1"},
      {R"({"x":1,"y":2,"z":3})", "x=1 y=2 z=3"},
      {R"({"y":1,"x":2})", "y=1 x=2"},
      {R"({"x":1,"x":2})", "DuplicatePropertiesSpecified"},
      {R"({"x":1,"y ":2})", "PropertyNameInvalid"},
      {R"({"x":1,"Timestamp":2})", "x=1"},
      {R"({"x":1,"RowKey":"y"})", "r=y x=1"},
      {R"({"x":1,"x@odata.type":"Edm.Int64"})", "x=1L"},
      {R"({"x@odata.type":1,"y":2})", "y=2"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.json);
    REQUIRE(read(first) == "x=1 y=2");
    CHECK(read(c.json) == c.result);
    CHECK(read(c.json) == c.result);
    CHECK(read(first) == "x=1 y=2");
  }
}

TEST_CASE("the views of a large body outlive other bodies") {
  const std::string text(300'000, 'a');
  const auto large =
      read_entity_view(R"({"RowKey":"r","x":")" + text + R"(","b@odata.type":"Edm.Binary","b":"YmluYXJ5"})");
  REQUIRE(large.has_value());
  CHECK(read(R"({"RowKey":"s","x":1,"b@odata.type":"Edm.Binary","b":"AAAA"})") == "r=s x=1 b=X'000000'");
  CHECK(large->row_key == "r");
  CHECK(to_properties(large->properties) == Properties{{"x", text}, {"b", Binary{"binary"}}});
}

TEST_CASE("views stay valid while the binaries of a body are decoded") {
  std::string json = "{", result;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "b" + std::to_string(i);
    json += "\"" + name + "@odata.type\":\"Edm.Binary\",\"" + name + "\":\"" + (i % 3 == 0 ? "" : "YQ==") + "\",";
    result += name + (i % 3 == 0 ? "=X'' " : "=X'61' ");
  }
  json.back() = '}';
  CHECK(read(json) == trim(result));
}

TEST_CASE("every truncation and many mutations of a body are read or refused without a crash") {
  const std::string body =
      R"({"PartitionKey":"p","RowKey":"r\u00e9\ud83d\ude00","i":39,"l@odata.type":"Edm.Int64","l":"39",)"
      R"("d":3.1,)"
      R"("big":100000000000000000000,"big@odata.type":"Edm.Double","t":"2014-05-07T08:20:53Z",)"
      R"("t@odata.type":"Edm.DateTime",)"
      R"("g@odata.type":"Edm.Guid","g":"c9da6455-213d-42c9-9a79-3e9149a57833","b":"YmluYXJ5",)"
      R"("b@odata.type":"Edm.Binary","n":null,"f":false})";
  REQUIRE(read_entity(body).has_value());
  for (std::size_t length = 1; length < body.size(); ++length) {
    CAPTURE(length);
    CHECK(read(std::string_view(body).substr(0, length)) == "InvalidInput");
  }
  std::mt19937 random(42);
  constexpr std::string_view kBytes = "\"\\{}[]:,0-e.\x80\xF0 @u";
  for (int i = 0; i < 20'000; ++i) {
    std::string mutated = body;
    for (int changes = 0; changes < 3; ++changes) {
      mutated[random() % mutated.size()] = kBytes[random() % kBytes.size()];
    }
    const auto payload = read_entity(mutated);
    if (!payload) continue;
    for (const Property& property : payload->properties) {
      REQUIRE(is_utf8(property.name));
      const auto* text = std::get_if<std::string>(&property.value);
      if (text != nullptr) REQUIRE(is_utf8(*text));
    }
  }
}

TEST_CASE("the name of a table is read without checks") {
  CHECK(read_table_name(R"({"TableName":"mytable"})").value() == "mytable");
  CHECK(read_table_name(R"({"odata.type":"x","TableName":"a b","more":[1]})").value() == "a b");
  for (const std::string_view json : {"{}", R"({"TableName":1})", R"({"TableName":null})", R"({"tablename":"a"})"}) {
    CAPTURE(json);
    CHECK(read_table_name(json).error() == Error(ErrorCode::InvalidInput));
  }
  for (const std::string_view json :
       {"", "[]", "mytable", "\"mytable\"", R"({"TableName":"a"} x)", R"({"TableName":"\ud800"})"}) {
    CAPTURE(json);
    CHECK(read_table_name(json).error() == unreadable_body());
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
