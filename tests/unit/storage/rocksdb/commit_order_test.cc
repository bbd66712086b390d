// Two commits to one row.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/storage/rocksdb/watched_files.h"
#include "tests/unit/storage/store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {

// The second write begins when the first one has begun to read, and has half a second to overtake it.
TEST_CASE("the second of two increments under one ETag waits for the first, and is refused") {
  const TemporaryFolder folder;
  StoreOptions options = folder.store();
  DateTime etag;
  {
    OpenedStore store(options);
    REQUIRE(outcome(store.create_table(kTable)) == "done");
    committed(store, kTable, "p", {insert("counter", {{"n", std::int64_t{0}}})});
    const auto read = [&](const EntityView& entity) { etag = entity.timestamp; };
    REQUIRE(store.get(kTable, {"p", "counter"}, read).value());
  }
  WatchedEnvironment watched;
  options.environment = &watched.environment();
  std::atomic<bool> waits{false};
  std::function<void()> meanwhile;
  watched.files().before_table_read = [&](const std::string&) {
    if (waits.exchange(false)) meanwhile();
  };
  OpenedStore store(options);  // with an empty cache: the first look-up reads the file
  const auto increment = [&] {
    const std::vector<Mutation> writes{{WriteKind::Merge, "counter", if_match(etag), {{"n", std::int64_t{1}}}}};
    return outcome(store.commit(kTable, "p", writes));
  };
  std::jthread second;
  std::string second_outcome;
  meanwhile = [&] {
    std::promise<void> over;
    auto is_over = over.get_future();
    second = std::jthread([&, over = std::move(over)]() mutable {
      second_outcome = increment();
      over.set_value();
    });
    is_over.wait_for(std::chrono::milliseconds(500));
  };
  waits = true;
  const std::string first_outcome = increment();
  REQUIRE(second.joinable());
  second.join();
  CHECK(first_outcome == "done");
  CHECK(second_outcome == "0 UpdateConditionNotSatisfied");
}

}  // namespace rocktable::TEST_FILE
