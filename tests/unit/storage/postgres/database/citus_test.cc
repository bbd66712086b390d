// What is sent to Citus in place of the store's steps, and what its errors say. None needs a database.
#include "storage/postgres/database/citus.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "storage/postgres/utf16_key.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::string_view_literals;

constexpr TableId kTable{7}, kOther{8};

std::string key(std::string_view partition_key, std::string_view row_key, TableId table = kTable) {
  return utf16_key(table, partition_key, row_key);
}

// A 32-bit number in binary, as a parameter.
std::string bytes_of(std::int32_t number) {
  PgParameters out;
  out.add(number);
  return std::string(out.bytes_at(0));
}

std::vector<PgStep> sent_for(const std::vector<PgStep>& steps) {
  std::vector<PgStep> out;
  CitusDialect().run(steps, [&](std::span<const PgStep> sent) {
    out.assign(sent.begin(), sent.end());
    return std::vector<PgRows>(sent.size());
  });
  return out;
}

PgStep insertion(const std::string& at) {
  PgStep out{Statement::InsertOne};
  out.parameters.add(at)
      .add("record"sv)
      .add(std::int64_t{1})
      .add(std::int64_t{2})
      .add(std::int64_t{3})
      .add("account"sv)
      .add("table"sv)
      .add(std::int64_t{7});
  return out;
}

TEST_CASE("all rows of a partition have the same part, and it depends on both keys of a partition") {
  CHECK(part_of(key("p", "1")) == part_of(key("p", "2")));
  CHECK(part_of(key("p", "")) == part_of(key("p", "2")));
  CHECK(part_of(key("", "1")) == part_of(key("", "2")));
  CHECK(part_of(key("p", "1")) != part_of(key("q", "1")));
  CHECK(part_of(key("p", "1")) != part_of(key("p", "1", kOther)));
  // U+0100 has a zero in its bytes, which is not the end of the partition key.
  CHECK(part_of(key("\u0100\u0001", "1")) != part_of(key("\u0100\u0002", "1")));
}

// A store keeps it: with another one, its rows would not be found.
TEST_CASE("parts are those of earlier versions") {
  CHECK(part_of(key("", "")) == 1401181202);
  CHECK(part_of(key("orders", "1")) == -2055596125);
  CHECK(part_of(key("\u65e5\u672c", "1", TableId{281474976710657})) == -2135088548);
}

TEST_CASE("an entity that moves to another table changes its part by what both tables have") {
  const auto change = change_of_part(utf16_table_begin(kTable), utf16_table_begin(kOther));
  for (const char* partition_key : {"", "p", "a longer one"})
    CHECK((part_of(key(partition_key, "1")) ^ change) == part_of(key(partition_key, "1", kOther)));
}

TEST_CASE("a write is sent behind its guard, with its part") {
  const auto sent = sent_for({insertion(key("p", "1"))});
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].statement == Statement::Guard);
  CHECK(sent[0].parameters.size() == 3);
  CHECK(sent[0].parameters.bytes_at(0) == "account");
  CHECK(sent[1].statement == Statement::InsertOne);
  CHECK(sent[1].parameters.size() == 6);
  CHECK(sent[1].parameters.bytes_at(0) == key("p", "1"));
  CHECK(sent[1].parameters.bytes_at(5) == bytes_of(part_of(key("p", ""))));
}

TEST_CASE("the rows of guards are not seen") {
  const std::vector<PgStep> steps{insertion(key("p", "1")), {Statement::Commit}, insertion(key("p", "2"))};
  std::size_t sent_steps = 0;
  const auto rows = CitusDialect().run(steps, [&](std::span<const PgStep> sent) {
    sent_steps = sent.size();
    return std::vector<PgRows>(sent.size());
  });
  CHECK(sent_steps == 5);
  CHECK(rows.size() == 3);
}

TEST_CASE("keys of one partition have one part; others have one each") {
  const std::vector<std::string> keys{key("p", "1"), key("p", "2")};
  PgStep lock{Statement::LockTicks}, get{Statement::GetMany};
  for (PgStep* step : {&lock, &get}) step->parameters.add(std::span<const std::string>(keys));
  const auto sent = sent_for({lock, get});
  REQUIRE(sent.size() == 2);
  CHECK(sent[0].parameters.bytes_at(1) == bytes_of(part_of(keys[0])));
  CHECK(sent[1].parameters.list_at(1) == std::vector<std::string_view>(2, bytes_of(part_of(keys[0]))));
}

TEST_CASE("a range within a partition has its part, and one over several has none") {
  for (const Statement statement : {Statement::RangeInPartition, Statement::Range}) {
    PgStep range{statement};
    range.parameters.add(key("p", "")).add(key("p", "5")).add(std::int64_t{10});
    CHECK(sent_for({range})[0].parameters.size() == (statement == Statement::Range ? 3 : 4));
  }
}

TEST_CASE("an error tells whether the statement may have an effect") {
  const auto effect = [](const char* state, const char* message = "") {
    return CitusDialect().effect_after(PgError(state, message));
  };
  for (const char* refused : {"23505", "40001", "40P01", "42P01", "53100", "55P03", "22012"}) {
    CAPTURE(refused);
    CHECK(effect(refused) == PgEffect::None);
  }
  const auto of_node = [&](const char* detail) {
    return effect(
        "08006",
        (std::string("connection to the remote node a@b:1 failed with the following error: ") + detail).c_str());
  };
  for (const char* lost :
       {"server closed the connection unexpectedly", "could not receive data from server: Connection timed out",
        "could not send data to server: No route to host", "connection not open", "SSL SYSCALL error: EOF detected",
        "FATAL:  terminating connection due to administrator command"}) {
    CAPTURE(lost);
    CHECK(of_node(lost) == PgEffect::Unknown);
  }
  for (const char* missing :
       {"connection to server at \"b\", port 1 failed: Connection refused", "Connection refused", "No route to host",
        "timeout expired", "FATAL:  the database system is starting up", "FATAL:  sorry, too many clients already"}) {
    CAPTURE(missing);
    CHECK(of_node(missing) == PgEffect::NoneOfNode);
  }
  CHECK(effect("08006", "could not establish any connections to the node b:1 after 2000 ms") == PgEffect::NoneOfNode);
  CHECK(effect("XX000", "failure on connection marked as essential: b:1") == PgEffect::Unknown);
  CHECK(effect("57P01", "terminating connection due to administrator command") == PgEffect::Unknown);
  CHECK(effect("57014", "canceling statement due to user request") == PgEffect::Unknown);
}

TEST_CASE("a commit that a node does not confirm is doubtful, though it succeeds") {
  const char* const warning = "failed to commit transaction on b:1";
  CHECK(dialect_of(PgLayout::Distributed).is_doubtful(warning));
  CHECK_FALSE(dialect_of(PgLayout::Distributed).is_doubtful("there is already a transaction in progress"));
  CHECK_FALSE(dialect_of(PgLayout::Plain).is_doubtful(warning));
}

TEST_CASE("an error of PostgreSQL itself says that its statement has no effect") {
  CHECK(dialect_of(PgLayout::Plain).effect_after(PgError("XX000", "")) == PgEffect::None);
  CHECK(dialect_of(PgLayout::Distributed).effect_after(PgError("XX000", "")) == PgEffect::Unknown);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
