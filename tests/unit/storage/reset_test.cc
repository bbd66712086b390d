// Resets of a table, an account, everything; concurrent calls.
#include <doctest/doctest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/storage/contents.h"

namespace rocktable::TEST_FILE {
namespace {

// Runs a test on each kind of store; `again` closes and reopens one that is kept.
void in_both(const std::function<void(OpenedStore&, const std::function<OpenedStore&()>& again)>& test) {
  for (const bool kept : kept_or_not()) {
    CAPTURE(kept);
    const TestStore place(kept);
    auto store = std::make_unique<OpenedStore>(place.options());
    test(*store, [&]() -> OpenedStore& {
      if (kept) {
        store.reset();
        store = std::make_unique<OpenedStore>(place.options());
      }
      return *store;
    });
  }
}

TEST_CASE("a reset table is empty, and keeps its name, creation time and signed identifiers") {
  in_both([](OpenedStore& store, const auto& again) {
    make_accounts(store);
    const TableName first{"acct", "FIRST"};
    const std::string others = contents(store, "other");
    const Table before = store.get_table(first).value();
    CHECK(outcome(store.reset_table({"acct", "nothing"})) == "TableNotFound");
    for (int round = 0; round < 3; ++round) {
      REQUIRE(outcome(store.reset_table(first)) == "done");
      CHECK(entities_in(store, first).empty());
      CHECK(store.signed_identifiers(first).value() == "who may");
      CHECK(store.get_table(first)->name == "First");
      CHECK(store.get_table(first)->created == before.created);
      CHECK(entities_in(store, {"acct", "second"}).size() == 500);
      write_rows(store, first, round == 1 ? 1000 : 3);  // more than a few rows are deleted as a range
    }
    const std::string after = contents(store, "acct");
    CHECK(contents(store, "other") == others);
    OpenedStore& reopened = again();
    CHECK(contents(reopened, "acct") == after);
    CHECK(contents(reopened, "other") == others);
  });
}

TEST_CASE("a reset account is empty, and others are unchanged") {
  in_both([](OpenedStore& store, const auto& again) {
    make_accounts(store);
    make_table(store, {"acct1", "first"});  // its name begins with the other's
    const std::string others = contents(store, "other") + contents(store, "acct1");
    const auto before = store.table_counts();
    CHECK(before.size() == 3);
    const std::uint64_t in_other = before.at("other");
    store.reset_account("nobody");
    CHECK(store.table_counts() == before);
    store.reset_account("acct");
    store.reset_account("acct");
    CHECK(contents(store, "acct").empty());
    CHECK(store.table_counts() == std::map<std::string, std::uint64_t>{{"acct1", 1}, {"other", in_other}});
    CHECK(contents(store, "other") + contents(store, "acct1") == others);
    make_table(store, {"acct", "first"}, 1);
    CHECK(store.signed_identifiers({"acct", "first"}).value().empty());
    const std::string after = contents(store, "acct");
    OpenedStore& reopened = again();
    CHECK(contents(reopened, "acct") == after);
    CHECK(contents(reopened, "other") + contents(reopened, "acct1") == others);
  });
}

TEST_CASE("everything can be reset, again and again") {
  in_both([](OpenedStore& store, const auto& again) {
    store.reset();
    CHECK(store.table_counts().empty());
    for (int round = 0; round < 4; ++round) {
      make_accounts(store);
      store.reset();
      for (const std::string_view account : {"acct", "other"}) CHECK(contents(store, account).empty());
    }
    CHECK(contents(again(), "acct").empty());
    make_accounts(again());
    again().reset();
    CHECK(contents(again(), "acct").empty());
  });
}

// Detects range tombstones that cover rows of another table, and files dropped by mistake.
TEST_CASE("resetting large tables leaves adjacent tables whole") {
  in_both([](OpenedStore& store, const auto& again) {
    for (const char* table : {"a", "b", "c"}) make_table(store, {"acct", table}, 200, 60'000);
    make_table(store, {"other", "a"}, 400, 1000);
    const std::string others = contents(store, "other");
    REQUIRE(outcome(store.reset_table({"acct", "b"})) == "done");
    CHECK(entities_in(store, {"acct", "a"}).size() == 200);
    CHECK(entities_in(store, {"acct", "b"}).empty());
    CHECK(entities_in(store, {"acct", "c"}).size() == 200);
    again().reset_account("acct");
    CHECK(contents(again(), "acct").empty());
    CHECK(contents(again(), "other") == others);
  });
}

TEST_CASE("timestamps increase after a reset, and across a restart after it") {
  in_both([](OpenedStore& store, const auto& again) {
    make_table(store, kTable);
    DateTime last = committed(store, kTable, "p", {upsert("r")});
    const auto next = [&](OpenedStore& now) {
      const DateTime timestamp = committed(now, kTable, "p", {upsert("r")});
      CHECK(last < timestamp);
      last = timestamp;
    };
    REQUIRE(outcome(store.reset_table(kTable)) == "done");
    next(store);
    store.reset_account(kTable.account);
    make_table(store, kTable, 0);
    next(store);
    store.reset();
    make_table(store, kTable, 0);
    next(store);
    next(again());
  });
}

// Rows that existed when a reset began are older than a write before the reset.
TEST_CASE("no page shows rows from both before and after a reset, and no row reappears") {
  for (const bool all : {false, true}) {
    CAPTURE(all);
    OpenedStore store(test_store());
    make_table(store, kTable, 0);
    std::atomic<std::int64_t> oldest{0};  // ticks: no row up to this one may exist any more
    std::atomic<bool> running{true};
    std::atomic<int> old{0}, unexpected{0}, commits{0}, pages{0};
    const auto is_expected = [](ErrorCode code) {
      return code == ErrorCode::TableNotFound || code == ErrorCode::ServerBusy;
    };
    const auto write = [&](int thread) {
      while (running) {
        std::vector<Mutation> writes;
        writes.reserve(20);
        for (int row = 0; row < 20; ++row) writes.push_back(upsert(std::to_string(row)));
        const auto result = store.commit(kTable, std::to_string(thread), writes);
        commits += result.has_value();
        unexpected += !result && !is_expected(result.error().error.code);
      }
    };
    // Several keys, and a filter: the reads that use more than one look-up or iterator.
    const auto read = [&](const KeyRanges& ranges) {
      while (running) {
        const std::int64_t before = oldest;
        std::size_t found = 0;
        const auto result = store.scan(kTable, ranges, 1000, far_away(), [&](const EntityView& entity) {
          old += entity.timestamp.ticks <= before;
          return ++found > 0;
        });
        ++pages;
        unexpected += !result && !is_expected(result.error().code);
      }
    };
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { write(1); });
    threads.emplace_back([&] { write(2); });
    threads.emplace_back([&] { read(all_keys()); });
    threads.emplace_back([&] {
      KeyRanges keys;
      for (const char* row : {"1", "2", "3"}) keys.push_back({{"1", row}, EntityKey{"1", std::string(row) + '\0'}});
      read(keys);
    });
    for (int round = 0; round < 60; ++round) {
      for (const int before = commits; commits < before + 5;) std::this_thread::yield();
      const DateTime before_reset = committed(store, kTable, "p", {upsert("r")});
      if (all) {
        store.reset();
        unexpected += !store.create_table(kTable).has_value();
      } else {
        unexpected += !store.reset_table(kTable).has_value();
      }
      oldest = before_reset.ticks;
    }
    running = false;
    threads.clear();
    CHECK(old == 0);
    CHECK(unexpected == 0);
    CHECK(pages > 0);
    REQUIRE(outcome(store.reset_table(kTable)) == "done");
    CHECK(entities_in(store, kTable).empty());
  }
}

// The embedded store drops whole files, also for snapshots of RocksDB: single look-ups would miss rows.
TEST_CASE(
    "if a reset or a deletion interrupts a page, it is whole; the embedded store refuses one of several "
    "look-ups") {
  in_both([](OpenedStore& store, const auto&) {
    for (const bool by_key : {true, false}) {
      for (const bool deleted : {true, false}) {
        CAPTURE(by_key);
        CAPTURE(deleted);
        make_table(store, kTable, 300, 60'000);
        KeyRanges ranges = all_keys();
        if (by_key) {
          ranges.clear();
          for (const char* row : {"1", "2", "3"})
            ranges.push_back({{"p", row}, EntityKey{"p", std::string(row) + '\0'}});
        }
        int found = 0;
        const auto page = store.scan(kTable, ranges, 250, far_away(), [&](const EntityView&) {
          if (++found == 2) {
            std::jthread([&] {
              if (deleted) {
                store.delete_table(kTable).value();
              } else {
                store.reset_table(kTable).value();
              }
            }).join();
          }
          return true;
        });
        if (by_key && !is_in_database()) {
          REQUIRE_FALSE(page.has_value());
          CHECK(page.error().code == (deleted ? ErrorCode::TableNotFound : ErrorCode::ServerBusy));
        } else {
          CHECK(page.has_value());
          CHECK(found == (by_key ? 3 : 250));
        }
        store.reset();
      }
    }
  });
}

TEST_CASE("accounts of parallel tests that are reset all the time do not disturb each other") {
  OpenedStore store(test_store());
  std::atomic<int> unexpected{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back([&, thread] {
        const std::string account = "account" + std::to_string(thread);
        for (int round = 0; round < 100; ++round) {
          unexpected += !store.create_table({account, "t"}).has_value();
          for (int i = 0; i < 5; ++i)
            unexpected +=
                !store.commit({account, "t"}, "p", std::vector<Mutation>{insert(std::to_string(i))}).has_value();
          int found = 0;
          unexpected +=
              !store.scan({account, "t"}, all_keys(), 1000, far_away(), [&](const EntityView&) { return ++found > 0; });
          unexpected += found != 5;
          store.reset_account(account);
        }
      });
    }
  }
  CHECK(unexpected == 0);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
