// The text forms of the eight types.
#include "odata/value.h"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

namespace rocktable::TEST_FILE {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string format(double value) {
  std::string out;
  append_double(out, value);
  return out;
}

Guid a_guid() { return *parse_guid("c9da6455-213d-42c9-9a79-3e9149a57833"); }

// 4.81516, 10.0, 5.0, 123456789012345.12, 1.7976931348623157E+308 and 4.94065645841247E-324 are recorded from
// the service; the others follow .NET Framework's "R":
// learn.microsoft.com/dotnet/standard/base-types/standard-numeric-format-strings
TEST_CASE("doubles are written with 15 significant digits, or with 17 if 15 would not read back") {
  const struct {
    double value;
    std::string_view text;
  } cases[] = {
      {4.81516, "4.81516"},
      {3.1, "3.1"},
      {10, "10.0"},
      {5, "5.0"},
      {1, "1.0"},
      {0, "0.0"},
      {-0.0, "0.0"},
      {-1.5, "-1.5"},
      {0.1, "0.1"},
      {200.23, "200.23"},
      {123456789012345.12, "123456789012345.12"},
      {0.1 + 0.2, "0.30000000000000004"},
      {0.1 + 0.7, "0.79999999999999993"},  // 16 digits would be enough, but only 15 or 17 are written
      {1.0 / 3, "0.33333333333333331"},
      {2.0 / 3, "0.66666666666666663"},
      // The limits of the exponent form: 15 (or 17) digits before the point, and 0.0001.
      {100000000000000, "100000000000000.0"},
      {999999999999999, "999999999999999.0"},
      {123456789012345, "123456789012345.0"},
      {1e15, "1E+15"},
      {1234567890123456, "1234567890123456.0"},
      {1234567890123456.8, "1234567890123456.8"},
      {1e16, "1E+16"},
      {12345678901234567.0, "12345678901234568.0"},
      {99999999999999984, "99999999999999984.0"},
      {1e17, "1E+17"},
      {123456789012345678.0, "1.2345678901234568E+17"},
      {9223372036854775807.0, "9.2233720368547758E+18"},
      {-1e20, "-1E+20"},
      {1.5e100, "1.5E+100"},
      {0.001, "0.001"},
      {0.0001, "0.0001"},
      {0.00012345, "0.00012345"},
      {0.00001, "1E-05"},
      {0.000099999, "9.9999E-05"},
      {1.5e-9, "1.5E-09"},
      {1e-10, "1E-10"},
      {-2.5e-300, "-2.5E-300"},
      // The limits of the range.
      {std::numeric_limits<double>::max(), "1.7976931348623157E+308"},
      {std::numeric_limits<double>::lowest(), "-1.7976931348623157E+308"},
      {std::numeric_limits<double>::min(), "2.2250738585072014E-308"},
      {std::numeric_limits<double>::denorm_min(), "4.94065645841247E-324"},
      {-std::numeric_limits<double>::denorm_min(), "-4.94065645841247E-324"},
      {1e-320, "9.99988867182683E-321"},
      {9007199254740992, "9007199254740992.0"},
      {kNaN, "NaN"},
      {kInfinity, "Infinity"},
      {-kInfinity, "-Infinity"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(format(c.value) == c.text);
  }
}

TEST_CASE("every double survives writing and reading") {
  std::mt19937_64 random(308);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = format(value);
    if (parse_double(text) != value) {
      CAPTURE(text);
      FAIL("reads back as another number");
    }
  }
  for (std::uint64_t bits = 1; bits < 1'000; ++bits) {  // denormals
    REQUIRE(parse_double(format(std::bit_cast<double>(bits))) == std::bit_cast<double>(bits));
  }
}

TEST_CASE("doubles are read in decimal, and by their three names") {
  const struct {
    std::string_view text;
    double value;
  } cases[] = {
      {"10", 10},
      {"-10", -10},
      {"+10", 10},
      {"010", 10},
      {"3.25", 3.25},
      {".5", 0.5},
      {"5.", 5},
      {"1e3", 1000},
      {"1E+3", 1000},
      {"1E-3", 0.001},
      {"123456789012345.12", 123456789012345.12},
      {"1.7976931348623157E+308", std::numeric_limits<double>::max()},
      {"4.94065645841247E-324", std::numeric_limits<double>::denorm_min()},
      {"100000000000000000000", 1e20},
      {"Infinity", kInfinity},
      {"-Infinity", -kInfinity},
      // Too small becomes zero.
      {"1e-400", 0},
      {"-1e-400", 0},
      {"0.1e-99999999999999999999", 0},
      {"0e999999", 0},
      {"0.0", 0},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto value = parse_double(c.text);
    REQUIRE(value);
    CHECK(*value == c.value);
  }
  CHECK(std::isnan(parse_double("NaN").value_or(0)));
  CHECK(parse_double("1" + std::string(400, '0') + "e-400") == 1.0);
  CHECK(parse_double("0." + std::string(400, '0') + "1") == 0.0);
  CHECK(parse_double("0." + std::string(400, '0') + "1e401") == 1.0);
}

TEST_CASE("text that is not a double, or is too large for one, is refused") {
  for (const std::string_view text : {"",
                                      "-",
                                      "+",
                                      ".",
                                      "e",
                                      "e5",
                                      "1e",
                                      "1e+",
                                      "--1",
                                      "+-1",
                                      "-+1",
                                      "1.2.3",
                                      "1,5",
                                      " 1",
                                      "1 ",
                                      "0x10",
                                      "1f",
                                      "INF",
                                      "-INF",
                                      "inf",
                                      "nan",
                                      "NAN",
                                      "infinity",
                                      "+Infinity",
                                      "-NaN",
                                      "Infinity ",
                                      "1e309",
                                      "-1e309",
                                      "1e99999999999999999999",
                                      "0.001e312",
                                      "\xFF"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_double(text));
  }
  CHECK_FALSE(parse_double(std::string_view("1\0", 2)));
  CHECK_FALSE(parse_double(std::string(400, '9')));
  CHECK_FALSE(parse_double(std::string(400, '9') + "e-1"));
}

TEST_CASE("integers are read if complete and in range") {
  CHECK(parse_int32("0") == 0);
  CHECK(parse_int32("-0") == 0);
  CHECK(parse_int32("007") == 7);
  CHECK(parse_int32("2147483647") == INT32_MAX);
  CHECK(parse_int32("-2147483648") == INT32_MIN);
  CHECK(parse_int64("9223372036854775807") == INT64_MAX);
  CHECK(parse_int64("-9223372036854775808") == INT64_MIN);
  CHECK_FALSE(parse_int32("2147483648"));
  CHECK_FALSE(parse_int32("-2147483649"));
  CHECK_FALSE(parse_int64("9223372036854775808"));
  CHECK_FALSE(parse_int64("-9223372036854775809"));
  for (const std::string_view text : {"", "-", "+1", "--1", " 1", "1 ", "1.0", "1e3", "0x1", "1L", "one"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_int32(text));
    CHECK_FALSE(parse_int64(text));
  }
}

TEST_CASE("a GUID is read in either case and written in lower case") {
  for (const std::string_view text : {"c9da6455-213d-42c9-9a79-3e9149a57833", "C9DA6455-213D-42C9-9A79-3E9149A57833",
                                      "00000000-0000-0000-0000-000000000000", "FFFFFFFF-ffff-FFFF-ffff-FFFFFFFFFFFF"}) {
    CAPTURE(text);
    const auto guid = parse_guid(text);
    REQUIRE(guid);
    std::string written;
    append_guid(written, *guid);
    std::string lower(text);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    CHECK(written == lower);
  }
  CHECK(a_guid().bytes[0] == 0xC9);
  CHECK(a_guid().bytes[15] == 0x33);
}

TEST_CASE("text that is not a GUID is refused") {
  for (const std::string_view text : {"", "c9da6455213d42c99a793e9149a57833", "{c9da6455-213d-42c9-9a79-3e9149a57833}",
                                      "c9da6455-213d-42c9-9a79-3e9149a5783", "c9da6455-213d-42c9-9a79-3e9149a578333",
                                      "c9da645-5213d-42c9-9a79-3e9149a57833", "c9da6455-213d-42c9-9a79-3e9149a5783g",
                                      "c9da6455+213d+42c9+9a79+3e9149a57833", "c9da6455-213d-42c9-9a793-e9149a57833",
                                      " 9da6455-213d-42c9-9a79-3e9149a57833", "------------------------------------"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_guid(text));
  }
  const std::string guid = "c9da6455-213d-42c9-9a79-3e9149a57833";
  for (std::size_t at = 0; at < guid.size(); ++at)
    for (const char c : {'/', ':', '@', 'G', '`', 'g', '\0', '\x80', '\xFF', guid[at] == '-' ? '0' : '-'}) {
      std::string text = guid;
      text[at] = c;
      CAPTURE(text);
      CHECK_FALSE(parse_guid(text));
    }
}

TEST_CASE("types have the names that are sent") {
  for (int i = 0; i < kEdmTypeCount; ++i) {
    const auto type = static_cast<EdmType>(i);
    CAPTURE(to_string(type));
    CHECK(parse_edm_type(to_string(type)) == type);
  }
  CHECK(to_string(EdmType::String) == "Edm.String");
  CHECK(to_string(EdmType::DateTime) == "Edm.DateTime");
  CHECK(to_string(EdmType::Binary) == "Edm.Binary");
  for (const std::string_view name : {"", "String", "edm.string", "Edm.Decimal", "Edm.", "Edm.Int32 "}) {
    CAPTURE(name);
    CHECK_FALSE(parse_edm_type(name));
  }
}

TEST_CASE("a value is written as a $filter literal") {
  const struct {
    Value value;
    EdmType type;
    std::string_view literal;
  } cases[] = {
      {std::string("text"), EdmType::String, "'text'"},
      {std::string("it's ''"), EdmType::String, "'it''s '''''"},
      {std::string(), EdmType::String, "''"},
      {true, EdmType::Boolean, "true"},
      {false, EdmType::Boolean, "false"},
      {std::int32_t{-42}, EdmType::Int32, "-42"},
      {std::int64_t{42}, EdmType::Int64, "42L"},
      {4.5, EdmType::Double, "4.5"},
      {5.0, EdmType::Double, "5.0"},
      {kNaN, EdmType::Double, "NaN"},
      {kInfinity, EdmType::Double, "INF"},
      {-kInfinity, EdmType::Double, "-INF"},
      {kUnixEpoch, EdmType::DateTime, "datetime'1970-01-01T00:00:00Z'"},
      {a_guid(), EdmType::Guid, "guid'c9da6455-213d-42c9-9a79-3e9149a57833'"},
      {Binary{std::string("\0\xFF", 2)}, EdmType::Binary, "X'00ff'"},
      {Binary{}, EdmType::Binary, "X''"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.literal);
    CHECK(type_of(c.value) == c.type);
    CHECK(type_of(view_of(c.value)) == c.type);
    CHECK(to_string(view_of(c.value)) == c.literal);
    if (c.literal != "NaN") CHECK(to_value(view_of(c.value)) == c.value);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
