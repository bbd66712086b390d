// An entity that is decoded as late as possible answers as the decoded one.
#include "storage/lazy_entity.h"

#include <doctest/doctest.h>

#include <string>

#include "storage/format/entity_codec.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr DateTime kTime{12345};

TEST_CASE("A lazy entity finds keys, timestamp and properties, before and after it is decoded") {
  std::string record;
  encode_entity(record, kTime, {{"A", std::int32_t{1}}, {"B", std::string("two")}});
  LazyEntity entity;
  for (const std::string row_key : {"r1", "r2"}) {
    entity.reset({"p", row_key}, record);
    for (int round = 0; round < 3; ++round) {  // from the third look-up on, the record is decoded
      CAPTURE(round);
      CHECK(entity.find("PartitionKey") == std::optional<ValueView>("p"));
      CHECK(entity.find("RowKey") == std::optional<ValueView>(std::string_view(row_key)));
      CHECK(entity.find("Timestamp") == std::optional<ValueView>(kTime));
      CHECK(entity.find("A") == std::optional<ValueView>(std::int32_t{1}));
      CHECK(entity.find("B") == std::optional<ValueView>("two"));
      CHECK_FALSE(entity.find("C"));
    }
    const EntityView view = entity.view();
    CHECK(view.row_key == row_key);
    CHECK(view.timestamp == kTime);
    CHECK(view.properties.size() == 2);
  }
}

TEST_CASE("A damaged record is refused when it is read, by a look-up or as a whole") {
  std::string record;
  encode_entity(record, kTime, {{"A", std::string("text")}});
  record.pop_back();
  LazyEntity entity;
  entity.reset({"p", "r"}, record);
  CHECK(entity.find("RowKey") == std::optional<ValueView>("r"));
  CHECK_THROWS_AS(entity.find("A"), CorruptRecord);
  CHECK_THROWS_AS(entity.view(), CorruptRecord);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
