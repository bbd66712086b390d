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

TEST_CASE("A lazy entity answers for any names in any order, from row to row") {
  LazyEntity entity;
  for (int row = 0; row < 100; ++row) {
    std::string record;
    encode_entity(record, kTime, {{"A", std::int32_t{row}}, {"B", std::string("two")}, {"C", row % 2 == 0}});
    entity.reset({"p", "r"}, record);
    const std::string_view first = row % 3 == 0 ? "A" : row % 3 == 1 ? "B" : "C";
    CHECK(entity.find(first) == entity.view().find(first));
    entity.reset({"p", "r"}, record);
    CHECK(entity.find("C") == std::optional<ValueView>(row % 2 == 0));
    CHECK(entity.find(first) == entity.view().find(first));
  }
}

TEST_CASE("A stored key is decoded when it is asked for, once for each row") {
  static int decoded = 0;
  const auto decode = [](std::string_view key, std::string& scratch) {
    ++decoded;
    scratch = "row of " + std::string(key);
    return EntityKeyView{key, scratch};
  };
  std::string record;
  encode_entity(record, kTime, {{"A", std::int32_t{1}}});
  LazyEntity entity(*+decode);
  entity.reset_stored("k1", record);
  CHECK(entity.find("A") == std::optional<ValueView>(std::int32_t{1}));
  CHECK(decoded == 0);
  CHECK(entity.find("RowKey") == std::optional<ValueView>("row of k1"));
  CHECK(entity.view().partition_key == "k1");
  CHECK(decoded == 1);
  entity.reset_stored("k2", record);
  CHECK(entity.view().row_key == "row of k2");
  CHECK(decoded == 2);
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
