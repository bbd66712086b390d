// Changes of properties, and conversions of values.
#include "client/migration/property_change.h"

#include <doctest/doctest.h>

#include <limits>

#include "client/migration/value_conversion.h"

namespace rocktable::migration::TEST_FILE {
namespace {

std::string text_of(const Properties& properties) {
  std::string out;
  for (const auto& [name, value] : properties) out += name + "=" + to_string(view_of(value)) + " ";
  return out;
}

// Returns the changed properties, or `error: ` and the message. Checks that applying the change again has no
// effect.
std::string changed(const PropertyChange& change, Properties properties) {
  try {
    const bool first = apply(change, properties);
    const std::string out = (first ? "" : "same: ") + text_of(properties);
    CHECK_FALSE(apply(change, properties));
    CHECK(out.ends_with(text_of(properties)));
    return out;
  } catch (const PropertyChangeError& error) {
    return std::string("error: ") + error.what();
  }
}

TEST_CASE("A change changes one property, and has no effect the second time") {
  const Properties both{{"A", std::string("1")}, {"B", std::int32_t{2}}};
  CHECK(changed(AddProperty{"C", true}, both) == "A='1' B=2 C=true ");
  CHECK(changed(AddProperty{"A", true}, both) == "same: A='1' B=2 ");
  CHECK(changed(RenameProperty{"A", "C"}, both) == "C='1' B=2 ");
  CHECK(changed(RenameProperty{"C", "D"}, both) == "same: A='1' B=2 ");
  CHECK(changed(RenameProperty{"C", "A"}, both) == "same: A='1' B=2 ");
  CHECK(changed(RenameProperty{"A", "B"}, both) == "error: it has both the property A and the property B");
  CHECK(changed(RemoveProperty{"A"}, both) == "B=2 ");
  CHECK(changed(RemoveProperty{"a"}, both) == "same: A='1' B=2 ");
  CHECK(changed(RetypeProperty{"A", EdmType::Int64}, both) == "A=1L B=2 ");
  CHECK(changed(RetypeProperty{"B", EdmType::Int32}, both) == "same: A='1' B=2 ");
  CHECK(changed(RetypeProperty{"C", EdmType::Int32}, both) == "same: A='1' B=2 ");
  CHECK(changed(RetypeProperty{"A", EdmType::Guid}, both) ==
        "error: its property A, '1', cannot be converted to Edm.Guid");
}

std::string converted(const Value& value, EdmType type) {
  const auto out = convert(view_of(value), type);
  if (!out) return "none";
  CHECK(type_of(*out) == type);
  return to_string(view_of(*out));
}

TEST_CASE("A value converts to another type if nothing is lost") {
  const auto text = [](const char* t) { return Value(std::string(t)); };
  constexpr double kTwoTo63 = 9223372036854775808.0;
  struct {
    Value value;
    EdmType type;
    std::string_view result;
  } cases[] = {
      {text("5"), EdmType::Int32, "5"},
      {text("2147483648"), EdmType::Int32, "none"},
      {text("2147483648"), EdmType::Int64, "2147483648L"},
      {text("1.5"), EdmType::Double, "1.5"},
      {text("1.5"), EdmType::Int32, "none"},
      {text(" 5"), EdmType::Int32, "none"},
      {text("true"), EdmType::Boolean, "true"},
      {text("True"), EdmType::Boolean, "true"},
      {text("yes"), EdmType::Boolean, "none"},
      {text("2026-11-21T08:30:00Z"), EdmType::DateTime, "datetime'2026-11-21T08:30:00Z'"},
      {text("6F9619FF-8B86-D011-B42D-00C04FC964FF"), EdmType::Guid, "guid'6f9619ff-8b86-d011-b42d-00c04fc964ff'"},
      {text("AP8="), EdmType::Binary, "X'00ff'"},
      {text("A"), EdmType::Binary, "none"},
      {true, EdmType::String, "'true'"},
      {true, EdmType::Int32, "1"},
      {false, EdmType::Double, "0.0"},
      {true, EdmType::DateTime, "none"},
      {std::int32_t{1}, EdmType::Boolean, "true"},
      {std::int32_t{2}, EdmType::Boolean, "none"},
      {std::int32_t{-5}, EdmType::Int64, "-5L"},
      {std::int32_t{-5}, EdmType::Double, "-5.0"},
      {std::int32_t{-5}, EdmType::String, "'-5'"},
      {std::int64_t{5}, EdmType::Int32, "5"},
      {std::int64_t{1} << 31, EdmType::Int32, "none"},
      {(std::int64_t{1} << 53) + 1, EdmType::Double, "none"},
      {std::int64_t{1} << 53, EdmType::String, "'9007199254740992'"},
      {3.0, EdmType::Int32, "3"},
      {3.5, EdmType::Int32, "none"},
      {-2147483648.0, EdmType::Int32, "-2147483648"},
      {2147483648.0, EdmType::Int32, "none"},
      {-kTwoTo63, EdmType::Int64, "-9223372036854775808L"},
      {kTwoTo63, EdmType::Int64, "none"},
      {std::numeric_limits<double>::quiet_NaN(), EdmType::Int64, "none"},
      {std::numeric_limits<double>::infinity(), EdmType::Int32, "none"},
      {2.5, EdmType::String, "'2.5'"},
      {2.5, EdmType::Boolean, "none"},
      {kUnixEpoch, EdmType::String, "'1970-01-01T00:00:00Z'"},
      {kUnixEpoch, EdmType::Int64, "none"},
      {Binary{std::string("\0\xff", 2)}, EdmType::String, "'AP8='"},
      {Binary{"x"}, EdmType::Binary, "X'78'"},
  };
  for (const auto& c : cases) {
    CAPTURE(to_string(view_of(c.value)));
    CAPTURE(to_string(c.type));
    CHECK(converted(c.value, c.type) == c.result);
  }
}

}  // namespace
}  // namespace rocktable::migration::TEST_FILE
