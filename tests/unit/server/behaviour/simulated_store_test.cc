// A store that behaves as the real service does: what is changed takes effect late, pages are short.
#include "server/behaviour/simulated_store.h"

#include <doctest/doctest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/unit/storage/store.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr TableName kOther{"other", "table"};

// A store in memory, with a behaviour, at a time that stands still.
class Simulation {
 public:
  explicit Simulation(std::string_view behaviour) {
    turn("2026-01-01T00:00:00Z");
    behaviours.set(kTable.account, parse_behaviour(behaviour));
    for (const TableName& name : {kTable, kOther}) REQUIRE(outcome(store.create_table(name)) == "done");
  }

  void turn(std::string_view time) { clock.set({.offset = 0, .frozen = parse_date_time(time)}); }

  // Returns the row keys of each page.
  std::vector<std::string> pages(const TableName& name) const {
    std::vector<std::string> out;
    KeyRanges rest = all_keys();
    for (;;) {
      std::string page;
      RequestStats unwanted;
      const auto resume = simulated
                              .scan({.table = name,
                                     .ranges = rest,
                                     .page_size = 1000,
                                     .deadline = far_away(),
                                     .visit =
                                         [&](const EntityView& entity) {
                                           page += entity.row_key;
                                           return true;
                                         }},
                                    unwanted)
                              .value();
      out.push_back(page);
      if (!resume) return out;
      rest = starting_at(all_keys(), *resume);
    }
  }

  TimeSource clock;
  Behaviours behaviours;
  OpenedStore store{in_memory()};
  SimulatedStore simulated{store, behaviours, clock};
};

}  // namespace

TEST_CASE("Without a behaviour, calls reach the store as they are") {
  Simulation its("off");
  committed(its.store, kTable, "p", {insert("1"), insert("2")});
  CHECK(its.pages(kTable) == std::vector<std::string>{"12"});
  CHECK(outcome(its.simulated.set_signed_identifiers(kTable, "new")) == "done");
  CHECK(its.simulated.signed_identifiers_in_force(kTable).value() == "new");
  CHECK(outcome(its.simulated.delete_table(kTable)) == "done");
  CHECK(outcome(its.simulated.create_table(kTable)) == "done");
}

TEST_CASE("The name of a deleted table is free after the delay") {
  Simulation its("deleteDelay=40");
  CHECK(outcome(its.simulated.delete_table(kTable)) == "done");
  CHECK(outcome(its.simulated.delete_table(kTable)) == "ResourceNotFound");
  CHECK(outcome(its.simulated.create_table({kTable.account, "TABLE"})) == "TableBeingDeleted");
  CHECK(outcome(its.simulated.create_table({kTable.account, "another"})) == "done");
  its.turn("2026-01-01T00:00:39Z");
  CHECK(outcome(its.simulated.create_table(kTable)) == "TableBeingDeleted");
  its.turn("2026-01-01T00:00:40Z");
  CHECK(outcome(its.simulated.create_table(kTable)) == "done");

  CHECK(outcome(its.simulated.delete_table(kOther)) == "done");  // of an account without the behaviour
  CHECK(outcome(its.simulated.create_table(kOther)) == "done");
}

TEST_CASE("A changed policy is stored at once, and in force after the delay") {
  Simulation its("policyDelay=30");
  CHECK(outcome(its.simulated.set_signed_identifiers({kTable.account, "absent"}, "x")) == "TableNotFound");
  CHECK(outcome(its.simulated.set_signed_identifiers(kTable, "first")) == "done");
  CHECK(its.simulated.signed_identifiers(kTable).value() == "first");
  CHECK(its.simulated.signed_identifiers_in_force(kTable).value().empty());
  its.turn("2026-01-01T00:00:20Z");
  CHECK(outcome(its.simulated.set_signed_identifiers(kTable, "second")) == "done");
  its.turn("2026-01-01T00:00:30Z");
  CHECK(its.simulated.signed_identifiers_in_force(kTable).value() == "first");
  its.turn("2026-01-01T00:00:50Z");
  CHECK(its.simulated.signed_identifiers_in_force(kTable).value() == "second");

  CHECK(outcome(its.simulated.set_signed_identifiers(kOther, "theirs")) == "done");
  CHECK(its.simulated.signed_identifiers_in_force(kOther).value() == "theirs");
}

TEST_CASE("Pages end at boundaries, and hold everything in order") {
  Simulation its("boundaries=2");
  for (const TableName& name : {kTable, kOther})
    for (const char* partition : {"a", "b", "c", "d"}) committed(its.store, name, partition, {insert(partition)});
  const auto pages = its.pages(kTable);
  CHECK(pages.size() > 2);
  std::string all;
  for (const std::string& page : pages) all += page;
  CHECK(all == "abcd");
  CHECK(its.pages(kOther) == std::vector<std::string>{"abcd"});
}

TEST_CASE("A page ends at its deadline, also if the client's is later") {
  Simulation its("pageDeadline=1");
  committed(its.store, kTable, "p", {insert("1"), insert("2")});
  RequestStats unwanted;
  const auto slow = [](const EntityView&) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2);
    while (std::chrono::steady_clock::now() < end) continue;
    return true;
  };
  const auto page_of = [&](const TableName& name) {
    return its.simulated
        .scan({.table = name, .ranges = all_keys(), .page_size = 1000, .deadline = far_away(), .visit = slow}, unwanted)
        .value();
  };
  CHECK(page_of(kTable) == EntityKey{"p", "2"});
  committed(its.store, kOther, "p", {insert("1"), insert("2")});
  CHECK_FALSE(page_of(kOther).has_value());
}

}  // namespace rocktable::TEST_FILE
