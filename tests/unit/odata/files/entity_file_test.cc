// Common to all formats: nothing is lost, memory is bounded, errors of streams are reported.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <limits>

#include "odata/files/entity_format.h"
#include "tests/unit/odata/files/entity_files.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr EntityFormat kFormats[] = {EntityFormat::Ndjson, EntityFormat::Csv};

// Each type at its limits, and text that needs escapes in either format.
std::vector<Entity> edge_cases() {
  using Double = std::numeric_limits<double>;
  std::string all_bytes;
  for (int byte = 0; byte < 256; ++byte) all_bytes += static_cast<char>(byte);
  std::string controls;
  for (char c = 0; c < 0x20; ++c) controls += c;
  Properties doubles, texts, others;
  for (const double number : {0.0, -0.0, 0.1, 1.0 / 3, 1e21, 1e-7, 123456789.0, Double::max(), Double::lowest(),
                              Double::denorm_min(), Double::min(), Double::epsilon(), Double::infinity(),
                              -Double::infinity(), Double::quiet_NaN(), 9007199254740993.0, 5e-324, 1e23})
    doubles.push_back({"d" + std::to_string(doubles.size()), number});
  for (const std::string& text : {std::string(), std::string(" blanks "), std::string("a,b"), std::string("\"quoted\""),
                                  std::string("two\r\nlines\n"), controls, std::string("\xC2\x85\xE2\x80\xA8"),
                                  std::string("\xF0\x9F\x98\x80\xEE\x80\x80\xEF\xBF\xBF"),
                                  std::string("\xEF\xBB\xBFmark"), std::string("null"), std::string("\\u0041\\")})
    texts.push_back({"t" + std::to_string(texts.size()), text});
  others = {{"zero", std::int32_t{0}},
            {"int32", std::numeric_limits<std::int32_t>::min()},
            {"int64", std::numeric_limits<std::int64_t>::max()},
            {"least", std::numeric_limits<std::int64_t>::min()},
            {"yes", true},
            {"no", false},
            {"first", kMinDateTime},
            {"last", kMaxDateTime},
            {"tick", DateTime{kUnixEpoch.ticks + 1}},
            {"guid", *parse_guid("00112233-4455-6677-8899-aAbBcCdDeEfF")},
            {"bytes", Binary{all_bytes}},
            {"nothing", Binary{}}};
  return {{{"", ""}, {}, {}},
          {{"p", "doubles"}, {}, doubles},
          {{"p,\"1\" ", "text's"}, {}, texts},
          {{"\xC3\xA9", "\xF0\x9F\x98\x80"}, {}, others}};
}

// Compares doubles by their bits, because negative zero equals zero and NaN equals nothing.
std::string bits_of(const Entity& entity) {
  std::string out = entity.key.partition_key + '|' + entity.key.row_key;
  for (const Property& property : entity.properties) {
    out += '|' + property.name + ':' + std::to_string(property.value.index()) + ':';
    const auto* number = std::get_if<double>(&property.value);
    out +=
        number != nullptr ? std::to_string(std::bit_cast<std::uint64_t>(*number)) : to_string(view_of(property.value));
  }
  return out;
}

// Accepts only a limited number of bytes.
class FullDisk : public std::streambuf {
 protected:
  std::streamsize xsputn(const char*, std::streamsize) override { return 0; }
};

// Fails in the middle of a file.
class BrokenDisk : public std::streambuf {
 protected:
  int_type underflow() override { throw std::runtime_error("bad sector"); }
};

}  // namespace

TEST_CASE("entities read back the same to the bit, in each format") {
  const auto entities = edge_cases();
  for (const EntityFormat format : kFormats) {
    const std::string text = text_of(format, entities);
    CAPTURE(text);
    const auto again = entities_in(format, text);
    REQUIRE(again.size() == entities.size());
    for (std::size_t i = 0; i < entities.size(); ++i) CHECK(bits_of(again[i]) == bits_of(entities[i]));
    CHECK(text_of(format, again) == text);
  }
}

TEST_CASE("a Timestamp is written on request, and ignored when read") {
  const std::vector<Entity> entities{{{"p", "r"}, kUnixEpoch, {{"a", std::int32_t{1}}}}};
  for (const EntityFormat format : kFormats) {
    const std::string text = text_of(format, entities, options_for(entities, true));
    CHECK(text.find("1970-01-01T00:00:00Z") != text.npos);
    CHECK(entities_in(format, text).at(0).timestamp == DateTime{});
    CHECK(text_of(format, entities).find("1970") == std::string::npos);
  }
}

TEST_CASE("the format is chosen by the ending of the file name") {
  CHECK(format_of_file("customers.ndjson") == EntityFormat::Ndjson);
  CHECK(format_of_file("a/b.JSONL") == EntityFormat::Ndjson);
  CHECK(format_of_file("Orders.CSV") == EntityFormat::Csv);
  CHECK(format_of_file("csv") == std::nullopt);
  CHECK(format_of_file("a.json") == std::nullopt);
  CHECK(format_of_file("") == std::nullopt);
}

TEST_CASE("an endless line is refused before it fills the memory") {
  const std::string endless(2 * kMaxLineBytes, 'x');
  for (const EntityFormat format : kFormats)
    CHECK(fault_in(format, endless).starts_with("sample:1:1: the line is longer than 8388608 bytes"));
  // An open quote includes all lines that follow.
  std::string quote = "PartitionKey,RowKey\n\"";
  for (std::size_t i = 0; i < kMaxLineBytes / 4; ++i) quote += "p,r,x\n";
  CHECK(fault_in(EntityFormat::Csv, quote).starts_with("sample:2:1: the record is longer than 8388608 bytes"));
}

TEST_CASE("the largest entity fits into a line with any escapes") {
  Properties properties;
  for (int i = 0; i < 7; ++i) properties.push_back({"p" + std::to_string(i), std::string(kMaxStringLength, '\x01')});
  const std::vector<Entity> entities{{{"p", "r"}, {}, properties}};
  REQUIRE(check_entity(entities[0].key, properties).has_value());
  for (const EntityFormat format : kFormats) CHECK(entities_in(format, text_of(format, entities)) == entities);
}

TEST_CASE("a stream that fails is reported with the name of the file") {
  for (const EntityFormat format : kFormats) {
    FullDisk disk;
    std::ostream out(&disk);
    const auto writer = open_entity_writer(format, out, "out.txt");
    writer->write({"p", "r", {}, {}});
    CHECK_THROWS_WITH_AS(writer->flush(), doctest::Contains("out.txt: cannot be written: "), FileError);
    BrokenDisk broken;
    std::istream in(&broken);
    CHECK_THROWS_WITH_AS(open_entity_reader(format, in, "in.txt")->next(),
                         doctest::Contains("in.txt: cannot be read: "), FileError);
  }
}

TEST_CASE("a reader counts the bytes it has read") {
  const auto entities = edge_cases();
  for (const EntityFormat format : kFormats) {
    const std::string text = text_of(format, entities);
    std::istringstream in(text);
    const auto reader = open_entity_reader(format, in, "sample");
    while (reader->next()) CHECK(reader->place().line >= 1);
    CHECK(reader->bytes_read() == text.size());
  }
}

TEST_CASE("limits of the service apply to files, and errors name them") {
  const std::string long_text(kMaxStringLength + 1, 'x'), long_key(kMaxKeyLength + 1, 'k');
  const std::string large(kMaxBinaryBytes + 1, 'b');
  Properties many, heavy;
  for (int i = 0; i < 253; ++i) many.push_back({"p" + std::to_string(i), true});
  for (int i = 0; i < 17; ++i) heavy.push_back({"p" + std::to_string(i), std::string(kMaxStringLength, 'x')});
  const struct {
    Entity entity;
    std::string_view sentence;
  } cases[] = {
      {{{"a/b", "r"}, {}, {}},
       "PartitionKey contains a character that keys may not contain: / \\ # ? or a control character"},
      {{{"p", "\x7F"}, {}, {}}, "RowKey contains a character that keys may not contain"},
      {{{"p", long_key}, {}, {}}, "RowKey is 513 characters long; at most 512 characters are allowed"},
      {{{"p", "r"}, {}, {{"t", long_text}}}, "\"t\" is 32769 characters long; at most 32768 characters are allowed"},
      {{{"p", "r"}, {}, {{"t", Binary{large}}}}, "\"t\" is 65537 bytes long; at most 65536 bytes are allowed"},
      {{{"p", "r"}, {}, {{"t", DateTime{0}}}}, "\"t\" is before the first DateTime of the service"},
      {{{"p", "r"}, {}, many}, "properties"},
      {{{"p", "r"}, {}, heavy}, "bytes as the service counts them; at most 1048576 bytes are allowed"},
  };
  for (const auto& c : cases)
    for (const EntityFormat format : kFormats) {
      const std::string fault = fault_in(format, text_of(format, {c.entity}));
      CAPTURE(fault.substr(0, 200));
      CHECK(fault.find(c.sentence) != fault.npos);
      CHECK(fault.starts_with(format == EntityFormat::Csv ? "sample:2:" : "sample:1:"));
    }
}

}  // namespace rocktable::TEST_FILE
