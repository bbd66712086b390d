// Reading the store as it was: TableStore::as_of().
#include <doctest/doctest.h>

#include <memory>
#include <string>

#include "odata/time_source.h"
#include "storage/store_fixtures.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

constexpr TableName kTable{"acct", "orders"};

class TurnedStore {
 public:
  TurnedStore() { turn(0); }

  TableStore& store() { return store_; }
  static DateTime at(double seconds) {
    return {kUnixEpoch.ticks + static_cast<std::int64_t>(seconds * kTicksPerSecond)};
  }
  void turn(double seconds) { time_->set({.offset = 0, .frozen = at(seconds)}); }

  void write(double seconds, const char* row, WriteKind kind = WriteKind::Insert) {
    turn(seconds);
    const Mutation one{
        kind, row, kind == WriteKind::Delete ? Condition{Condition::Kind::Any, {}} : Condition(), {}};
    store_.commit(kTable, "p", {&one, 1}).value();
  }

  // The row keys at a time, or the error.
  std::string rows(double seconds) const {
    std::string out;
    const auto visit = [&](const EntityView& entity) {
      out += entity.row_key;
      return true;
    };
    const auto scanned = store_.as_of(at(seconds)).scan(kTable, all_keys(), 1000, ScanDeadline::max(), visit);
    return scanned ? out : std::string(to_string(scanned.error().code));
  }

  bool has(double seconds, const char* row) const {
    return store_.as_of(at(seconds)).get(kTable, {"p", row}, [](const EntityView&) {}).value();
  }

 private:
  std::shared_ptr<TimeSource> time_ = std::make_shared<TimeSource>();
  TableStore store_{[this] {
    StoreOptions options;
    options.in_memory = true;
    options.time = time_;
    return options;
  }()};
};

TEST_CASE("a view shows tables and entities as they were") {
  TurnedStore turned;
  turned.store().keep_past(100 * kTicksPerSecond);
  turned.turn(1);
  turned.store().create_table(kTable).value();
  turned.write(10, "a");
  turned.write(20, "b");
  turned.write(30, "a", WriteKind::Delete);
  turned.turn(35);
  CHECK(turned.rows(0) == "TableNotFound");
  CHECK(turned.rows(5).empty());
  CHECK(turned.rows(15) == "a");
  CHECK(turned.rows(25) == "ab");
  CHECK(turned.rows(35) == "b");
  CHECK(turned.has(25, "a"));
  CHECK_FALSE(turned.has(35, "a"));
  CHECK_FALSE(turned.store().as_of(TurnedStore::at(0)).get_table(kTable));
  CHECK(turned.store().as_of(TurnedStore::at(5)).get_table(kTable)->name == "orders");
}

TEST_CASE("a deleted table with many entities is whole in the past") {
  TurnedStore turned;
  turned.store().keep_past(100 * kTicksPerSecond);
  turned.store().create_table(kTable).value();
  for (int i = 0; i < 1000; ++i) turned.write(1, std::to_string(10'000 + i).c_str());
  turned.turn(20);
  turned.store().delete_table(kTable).value();
  CHECK(turned.rows(10).size() == 5'000);
  CHECK(turned.rows(20) == "TableNotFound");
}

TEST_CASE("without keep_past(), and beyond it, a view shows the present") {
  TurnedStore turned;
  turned.store().create_table(kTable).value();
  turned.write(10, "a");
  CHECK(turned.rows(5) == "a");
  turned.store().keep_past(10 * kTicksPerSecond);
  turned.write(20, "b");
  CHECK(turned.rows(15) == "a");
  turned.write(50, "c");
  turned.store().keep_past(0);
  CHECK(turned.rows(15) == "abc");
}

TEST_CASE("a restored store has no past") {
  TurnedStore turned;
  turned.store().create_table(kTable).value();
  turned.write(10, "a");
  REQUIRE(StoreFixtures(turned.store()).take_snapshot("one", false).value().has_value());
  turned.store().keep_past(100 * kTicksPerSecond);
  turned.write(20, "b");
  CHECK(turned.rows(15) == "a");
  REQUIRE(StoreFixtures(turned.store()).restore_snapshot("one").has_value());
  turned.turn(30);
  CHECK(turned.rows(25) == "a");
  turned.write(40, "c");
  CHECK(turned.rows(35) == "a");
  CHECK(turned.rows(45) == "ac");
}

}  // namespace
}  // namespace rocktable
