// The store with several threads at once.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "storage/rocksdb/format/catalog_codec.h"
#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/storage/store.h"
#include "tests/unit/support/wait_until.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr int kThreads = 4;

// Runs `work(0)` to `work(kThreads - 1)` concurrently. Use no doctest checks in it: they are slow and take a
// lock.
void in_threads(const std::function<void(int)>& work) {
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) threads.emplace_back([&work, i] { work(i); });
}

std::int64_t number_in(const Entity& entity) { return std::get<std::int64_t>(entity.properties.at(0).value); }

TEST_CASE("no increment under an ETag is lost") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  committed(store, kTable, "p", {insert("counter", {{"n", std::int64_t{0}}})});
  std::atomic<std::int64_t> successes{0}, refusals{0}, others{0};
  in_threads([&](int) {
    for (int i = 0; i < 500; ++i) {
      Entity counter;
      store.get(kTable, {"p", "counter"}, [&](const EntityView& view) { counter = to_entity(view); }).value();
      const std::vector<Mutation> writes{
          {WriteKind::Merge, "counter", if_match(counter.timestamp), {{"n", number_in(counter) + 1}}}};
      const auto result = store.commit(kTable, "p", writes);
      if (result) {
        ++successes;
      } else {
        ++(result.error().error.code == ErrorCode::UpdateConditionNotSatisfied ? refusals : others);
      }
    }
  });
  CHECK(others == 0);
  CHECK(successes + refusals == kThreads * 500);
  CHECK(number_in(entity_at(store, kTable, {"p", "counter"}).value()) == successes);
}

TEST_CASE("one of several concurrent inserts of one key succeeds, and all timestamps differ") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  std::vector<std::vector<DateTime>> timestamps(kThreads);
  std::atomic<int> inserted{0};
  std::atomic<int> arrived{0};  // not a barrier: those of the standard library can hang on Windows
  in_threads([&](int thread) {
    for (int i = 0; i < 300; ++i) {
      for (++arrived; arrived < kThreads * (i + 1);) std::this_thread::yield();
      const std::string partition = std::to_string(i % 7);
      const std::vector<Mutation> contested{insert(std::to_string(i))},
          own{insert("t" + std::to_string(thread) + "-" + std::to_string(i))};
      const auto result = store.commit(kTable, partition, contested);
      inserted += result.has_value();
      if (result) timestamps[static_cast<std::size_t>(thread)].push_back(*result);
      timestamps[static_cast<std::size_t>(thread)].push_back(store.commit(kTable, partition, own).value());
    }
  });
  CHECK(inserted == 300);
  std::set<DateTime> all;
  for (const auto& of_thread : timestamps) {
    CHECK(std::is_sorted(of_thread.begin(), of_thread.end()));
    all.insert(of_thread.begin(), of_thread.end());
  }
  // A database orders the timestamps of one entity only.
  if (!store.is_remote()) CHECK(all.size() == 300 * (kThreads + 1));
  CHECK(entities_in(store, kTable).size() == 300 * (kThreads + 1));
}

// Each transaction writes one number to five rows and moves them between ten.
TEST_CASE("no page shows half a transaction") {
  OpenedStore store(test_store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  const auto row = [](std::int64_t n, int i) { return (n % 2 == 0 ? "even" : "odd") + std::to_string(i); };
  std::vector<Mutation> first;
  first.reserve(5);
  for (int i = 0; i < 5; ++i) first.push_back(insert(row(0, i), {{"n", std::int64_t{0}}}));
  committed(store, kTable, "p", first);
  std::atomic<bool> writing{true};
  std::atomic<int> torn{0}, backwards{0}, refused{0};
  in_threads([&](int thread) {
    if (thread == 0) {
      for (std::int64_t n = 1; n <= 1000; ++n) {
        std::vector<Mutation> writes;
        for (int i = 0; i < 5; ++i) {
          writes.push_back(remove(row(n - 1, i)));
          writes.push_back(insert(row(n, i), {{"n", n}}));
        }
        refused += !store.commit(kTable, "p", writes).has_value();
      }
      writing = false;
    }
    std::int64_t last = 0;
    while (writing) {
      std::vector<Entity> page;
      const auto resume = store.scan(kTable, all_keys(), 1000, far_away(), [&](const EntityView& entity) {
        page.push_back(to_entity(entity));
        return true;
      });
      const bool whole = resume && page.size() == 5 && std::all_of(page.begin(), page.end(), [&](const Entity& entity) {
                           return number_in(entity) == number_in(page[0]) && entity.timestamp == page[0].timestamp;
                         });
      if (!whole) {
        ++torn;
        continue;
      }
      if (number_in(page[0]) < last) ++backwards;
      last = number_in(page[0]);
    }
  });
  CHECK(refused == 0);
  CHECK(torn == 0);
  CHECK(backwards == 0);
}

// Entities of a table are younger than the table. An older one was written to an earlier table of the same
// name.
TEST_CASE("while a table is deleted and created again, the new one shows no row of the old one") {
  for (const bool kept : kept_or_not()) {
    CAPTURE(kept);
    const TestStore place(kept);
    OpenedStore store(place.options());
    std::atomic<bool> running{true};
    std::atomic<int> older{0}, unexpected{0}, commits{0};
    const auto look = [&] {
      const auto before = store.get_table(kTable);
      std::vector<DateTime> timestamps;
      const auto result = store.scan(kTable, all_keys(), 1000, far_away(), [&](const EntityView& entity) {
        timestamps.push_back(entity.timestamp);
        return true;
      });
      const auto after = store.get_table(kTable);
      if (!result && result.error().code != ErrorCode::TableNotFound) ++unexpected;
      if (!before || !after || before->created != after->created) return;
      if (!result) ++unexpected;  // the table exists all the time
      for (const DateTime timestamp : timestamps) older += timestamp < before->created;
    };
    in_threads([&](int thread) {
      if (thread == 0) {
        for (int i = 0; i < 60; ++i) {
          if (!store.create_table(kTable)) ++unexpected;
          for (const int before = commits; commits < before + 5;) look();  // until other threads have committed
          if (!store.delete_table(kTable)) ++unexpected;
          if (store.scan(kTable, all_keys(), 1, far_away(), [](const EntityView&) { return true; })) ++unexpected;
        }
        running = false;
      }
      if (thread == 1)
        while (running) look();
      for (int i = 0; running; ++i) {
        std::vector<Mutation> writes;
        writes.reserve(3);
        for (int row = 0; row < 3; ++row) writes.push_back(upsert(std::to_string((i + row) % 50)));
        const auto result = store.commit(kTable, std::to_string(thread), writes);
        commits += result.has_value();
        if (!result && result.error().error.code != ErrorCode::TableNotFound) ++unexpected;
      }
    });
    CHECK(older == 0);
    CHECK(unexpected == 0);
    REQUIRE(outcome(store.create_table(kTable)) == "done");
    CHECK(entities_in(store, kTable).empty());
  }
}

// Counts rows whose table is not in the catalog: they would never be seen or deleted.
std::size_t rows_without_table(const StoreOptions& options) {
  std::size_t out = 0;
  change(options, [&](rocksdb::DB& db, const auto& families) {
    std::set<TableId> tables;
    const std::unique_ptr<rocksdb::Iterator> names(db.NewIterator({}, families[1]));
    for (names->Seek(std::string(kTableRows.first)); names->Valid(); names->Next()) {
      if (names->key().ToString() >= kTableRows.second) break;
      tables.insert(decode_table_row(names->value().ToString()).id);
    }
    const std::unique_ptr<rocksdb::Iterator> rows(db.NewIterator({}, families[2]));
    for (rows->SeekToFirst(); rows->Valid(); rows->Next())
      out += !tables.contains(TableId{decode_number(rows->key().ToString().substr(0, 8))});
  });
  return out;
}

// The life of a table begins when it is created or emptied, and ends when it is deleted or emptied. A write
// that is acknowledged in a life exists until the end of that life.
TEST_CASE("writes during resets and deletions of their table leave no row without a table, and none is lost") {
  const TestStore place;
  {
    OpenedStore store(place.options());
    std::atomic<int> life{0};  // even: the table may not exist
    std::atomic<bool> running{true};
    std::atomic<int> unexpected{0};
    std::mutex mutex;
    std::vector<EntityKey> acknowledged;  // in this life
    const auto write = [&](int thread) {
      for (int i = 0; running; ++i) {
        const std::string partition = std::to_string(thread), row = std::to_string(i);
        std::vector<Mutation> writes{upsert(row)};
        for (int other = 0; other < 40; ++other) writes.push_back(upsert("same" + std::to_string(other)));
        const int before = life;
        const auto result = store.commit(kTable, partition, writes);
        if (!result) {
          unexpected += before % 2 == 1 && life == before;
          continue;
        }
        const std::lock_guard lock(mutex);
        if (before % 2 == 1 && life == before) acknowledged.push_back({partition, row});
      }
    };
    std::vector<std::jthread> threads;
    for (int thread = 1; thread < kThreads; ++thread) threads.emplace_back(write, thread);
    int lost = 0;
    for (int round = 0; round < 90; ++round) {
      if (round == 0 || round % 3 != 0) unexpected += !store.create_table(kTable).has_value();
      ++life;
      REQUIRE(wait_until([&] {
        const std::lock_guard lock(mutex);
        return acknowledged.size() >= 5;
      }));
      const std::lock_guard lock(mutex);
      for (const EntityKey& key : acknowledged) lost += !entity_at(store, kTable, key).has_value();
      acknowledged.clear();
      ++life;
      if (round % 3 == 0) unexpected += !store.delete_table(kTable).has_value();
      if (round % 3 == 1) store.reset_account(kTable.account);
      if (round % 3 == 2) unexpected += !store.reset_table(kTable).has_value();
    }
    running = false;
    threads.clear();
    CHECK(lost == 0);
    CHECK(unexpected == 0);
  }
  if (!is_in_database()) CHECK(rows_without_table(place.options()) == 0);  // a database is swept later
}

// With a shared mutex that prefers its shared side, deletion would wait as long as there are writes.
TEST_CASE("a table that is written to without a pause can be deleted and created") {
  OpenedStore store(test_store());
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  std::atomic<int> rounds{0}, commits{0};
  const auto going_on = [&] { return rounds < 20 && std::chrono::steady_clock::now() < give_up; };
  in_threads([&](int thread) {
    const std::vector<Mutation> writes{upsert("r")};
    while (thread == 0 && going_on()) {
      store.create_table(kTable).value();
      for (const int before = commits; commits < before + 5 && going_on();) std::this_thread::yield();
      store.delete_table(kTable).value();
      ++rounds;
    }
    while (thread > 0 && going_on()) commits += store.commit(kTable, std::to_string(thread), writes).has_value();
  });
  CHECK(rounds == 20);
}

TEST_CASE("a table created by several threads at once exists once") {
  OpenedStore store(test_store());
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> created{0}, deleted{0};
    in_threads([&](int) { created += store.create_table(kTable).has_value(); });
    CHECK(created == 1);
    in_threads([&](int) { deleted += store.delete_table(kTable).has_value(); });
    CHECK(deleted == 1);
  }
}

TEST_CASE("tables created by several threads at once do not share their entities") {
  OpenedStore store(test_store());
  in_threads([&](int thread) {
    for (int i = 0; i < 30; ++i) {
      const std::string table = "t" + std::to_string(thread) + "x" + std::to_string(i);
      const std::vector<Mutation> writes{insert(table)};
      store.create_table({"acct", table}).value();
      store.commit({"acct", table}, "p", writes).value();
    }
  });
  std::vector<std::string> names;
  store.list_tables("acct", all_keys(), 1000, [&](const Table& table) {
    names.push_back(table.name);
    return true;
  });
  CHECK(names.size() == 30 * kThreads);
  for (const std::string& name : names) {
    const auto entities = entities_in(store, {"acct", name});
    REQUIRE(entities.size() == 1);
    CHECK(entities[0].key.row_key == name);
  }
}

}  // namespace
}  // namespace rocktable::TEST_FILE
