// The binary format of PostgreSQL's protocol, as in its documentation.
#include "storage/postgres/database/pg_values.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_view_literals;

std::string_view value(const PgParameters& parameters, std::size_t place) {
  return {parameters.pointers()[place], static_cast<std::size_t>(parameters.lengths()[place])};
}

TEST_CASE("numbers are eight bytes, the highest first") {
  PgParameters parameters;
  parameters.add(std::int64_t{1}).add(std::int64_t{-2}).add(std::int64_t{0x0102030405060708});
  CHECK(parameters.size() == 3);
  CHECK(value(parameters, 0) == "\0\0\0\0\0\0\0\1"sv);
  CHECK(value(parameters, 1) == "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFE"sv);
  CHECK(value(parameters, 2) == "\1\2\3\4\5\6\7\x08"sv);
}

TEST_CASE("nothing is NULL, which is not an empty text") {
  PgParameters parameters;
  parameters.add(std::optional<std::int64_t>()).add(std::optional<std::int64_t>(1)).add(""sv);
  CHECK(parameters.pointers()[0] == nullptr);
  CHECK(value(parameters, 1) == "\0\0\0\0\0\0\0\1"sv);
  CHECK(parameters.pointers()[2] != nullptr);
  CHECK(value(parameters, 2).empty());
}

TEST_CASE("bytes are passed as they are") {
  PgParameters parameters;
  const auto all = "'; DROP TABLE rocktable_entities; --\0\xFF\\"sv;
  parameters.add(all);
  CHECK(value(parameters, 0) == all);
}

// Dimensions, flags, the type's oid; length and lower bound of the dimension; then length and bytes of each.
TEST_CASE("a list is an array of bytea in one dimension") {
  const std::vector<std::string> two{"ab", std::string(1, '\0')};
  PgParameters parameters;
  parameters.add(std::span<const std::string>(two));
  CHECK(value(parameters, 0) ==
        "\0\0\0\1\0\0\0\0\0\0\0\x11\0\0\0\2\0\0\0\1\0\0\0\2"
        "ab\0\0\0\1\0"sv);
}

TEST_CASE("a list of numbers is an array of int") {
  const std::vector<std::int32_t> two{1, -1};
  PgParameters parameters;
  parameters.add(std::span<const std::int32_t>(two)).add(std::int32_t{5});
  CHECK(value(parameters, 0) == "\0\0\0\1\0\0\0\0\0\0\0\x17\0\0\0\2\0\0\0\1\0\0\0\4\0\0\0\1\0\0\0\4\xFF\xFF\xFF\xFF"sv);
  CHECK(value(parameters, 1) == "\0\0\0\5"sv);
}

TEST_CASE("what was added can be read") {
  for (const auto& list : {std::vector<std::string>{}, {""}, {"ab", "", std::string(300, '\0')}}) {
    PgParameters parameters;
    parameters.add("first"sv).add(std::span<const std::string>(list));
    CHECK(parameters.bytes_at(0) == "first");
    CHECK(parameters.list_at(1) == std::vector<std::string_view>(list.begin(), list.end()));
  }
}

TEST_CASE("the last ones can be taken") {
  PgParameters parameters;
  parameters.add("a"sv).add("b"sv).add("c"sv);
  const PgParameters last = parameters.take_last(2);
  CHECK(parameters.size() == 1);
  CHECK(last.size() == 2);
  CHECK(value(last, 0) == "b");
  CHECK(value(last, 1) == "c");
}

TEST_CASE("no rows are no rows") {
  const PgRows rows;
  CHECK(rows.size() == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
