// A finder answers as find_property(), for records that look alike and for those that only seem to.
#include "storage/format/property_finder.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/unit/storage/samples.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_literals;

std::string record_of(const Properties& properties, DateTime timestamp = {1}) {
  std::string out;
  encode_entity(out, timestamp, properties);
  return out;
}

// A value of the same type, of about the same size.
Value varied(const Value& value, Samples& samples) {
  Value out = samples.value();
  while (type_of(out) != type_of(value)) out = samples.value();
  return out;
}

Properties varied(Properties properties, Samples& samples) {
  for (auto& property : properties) property.value = varied(property.value, samples);
  return properties;
}

// What a look-up gives, or `damaged`. Reads a block of exact size, so that AddressSanitizer finds reads beyond the end.
template <class Find>
std::string found(std::string_view record, const Find& find) {
  const std::vector<char> block(record.begin(), record.end());
  try {
    const auto value = find(std::string_view(block.data(), block.size()));
    return value ? to_string(*value) : "none";
  } catch (const CorruptRecord&) {
    return "damaged";
  }
}

void check_same(PropertyFinder& finder, std::string_view record) {
  CAPTURE(finder.name());
  CHECK(found(record, [&](std::string_view bytes) { return finder.find(bytes); }) ==
        found(record, [&](std::string_view bytes) { return find_property(bytes, finder.name()); }));
}

TEST_CASE("A finder finds what find_property() finds: in records that look alike, and in others between them") {
  Samples samples(7);
  for (int round = 0; round < 60; ++round) {
    Properties shape;
    for (std::size_t n = samples.below(9); n > 0; --n)
      shape.push_back({"p" + std::to_string(samples.below(12)), samples.value()});  // some names occur twice
    for (const std::string_view name : {"p0", "p5", "p11", "absent"}) {
      PropertyFinder finder(name);
      for (int row = 0; row < 30; ++row) {
        Properties properties = varied(shape, samples);
        if (samples.one_in(8) && !properties.empty()) properties.erase(properties.begin());
        if (samples.one_in(8)) properties.push_back({"p" + std::to_string(samples.below(12)), samples.value()});
        if (samples.one_in(8) && !properties.empty()) properties.front().value = samples.value();
        check_same(finder, record_of(properties, {static_cast<std::int64_t>(samples.number())}));
      }
    }
  }
}

TEST_CASE("A name or a property within the value of another property is not taken for one") {
  PropertyFinder finder("P");
  check_same(finder, record_of({{"first", std::int64_t{1}}, {"P", true}}));
  // The eight bytes of this number end as the property `P` begins, one place before it is expected.
  std::int64_t disguised = 0;
  std::memcpy(&disguised, "\0\0\0\0\1\1P\1", sizeof disguised);
  for (const Properties& properties :
       {Properties{{"first", disguised}, {"Q", false}}, Properties{{"first", disguised}, {"P", false}},
        Properties{{"first", std::int64_t{3}}, {"Q", true}}, Properties{{"P", false}, {"Q", std::int64_t{1}}},
        Properties{{"P", "\1\1P\1"s}, {"first", std::int64_t{1}}}, Properties{{"first", true}, {"P", true}}})
    check_same(finder, record_of(properties));
}

TEST_CASE("Lengths of texts may differ, also in the bytes that they take") {
  PropertyFinder text("text"), binary("binary"), number("n"), absent("none");
  for (const std::size_t size : {0, 5, 127, 128, 90, 300, 40'000, 16'383, 16'384, 1})
    for (const std::size_t other : {0, 127, 128, 20'000}) {
      const std::string record = record_of({{"before", std::string(size, 'a')},
                                            {"n", static_cast<double>(size)},
                                            {"text", std::string(other, 'b')},
                                            {"binary", Binary{std::string(size, 'c')}},
                                            {"after", std::string(other, 'd')}});
      check_same(text, record);
      check_same(binary, record);
      check_same(number, record);
      check_same(absent, record);
    }
}

TEST_CASE("A record that looks alike and ends too early is refused") {
  const Properties shape{{"first", "some text"s}, {"n", std::int32_t{5}}, {"last", "more text"s}};
  const std::string record = record_of(shape);
  for (const std::string_view name : {"first", "n", "last", "absent"})
    for (std::size_t size = 0; size <= record.size(); ++size) {
      CAPTURE(size);
      PropertyFinder finder(name);
      check_same(finder, record);
      check_same(finder, record.substr(0, size));
    }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
