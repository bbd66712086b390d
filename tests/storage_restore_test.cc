// Restores that fail: where the disk is full, and where the snapshot is damaged. The store goes on as it was, or is not
// available until it can be opened again.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "storage/recovery.h"
#include "storage/snapshot_description.h"
#include "tests/storage_contents.h"
#include "tests/storage_snapshot_files.h"
#include "tests/storage_snapshots.h"
#include "tests/storage_temporary_folder.h"
#include "tests/storage_watched_files.h"
#include "tests/wait_until.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

std::string everything(const TableStore& store) { return contents(store, "acct") + contents(store, "other"); }

// A store on a disk that the test fills: with two accounts, a snapshot `one` of them, and a row more.
class OnFullDisk {
 public:
  OnFullDisk() {
    options.environment = &watched_.environment();
    options.warn = [this](const std::string& sentence) {
      const std::lock_guard lock(mutex_);
      warnings_ += sentence + "\n";
    };
    files().full_folder = fs::weakly_canonical(options.directory).string();
  }

  WatchedFiles& files() { return watched_.files(); }

  std::unique_ptr<TableStore> open() const { return std::make_unique<TableStore>(options); }

  std::unique_ptr<TableStore> open_filled() const {
    auto store = open();
    make_accounts(*store);
    take(*store, "one");
    committed(*store, {"acct", "first"}, "p", {upsert("later")});
    return store;
  }

  std::string warnings() const {
    const std::lock_guard lock(mutex_);
    return warnings_;
  }

 private:
  TemporaryFolder folder_;
  WatchedEnvironment watched_;
  mutable std::mutex mutex_;
  std::string warnings_;

 public:
  StoreOptions options = folder_.store();
};

std::string outcome_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ServiceException& refusal) {
    return std::string(to_string(refusal.error().code));
  }
  return "done";
}

TEST_CASE("where the snapshot cannot be opened in the store's place, the store is opened as it was") {
  OnFullDisk disk;
  auto store = disk.open_filled();
  const std::string before = everything(*store), id = store->contents_id();
  disk.files().files_left = 1;
  CHECK_THROWS_AS(store->restore_snapshot("one"), std::runtime_error);
  CHECK(disk.files().refused == 1);
  CHECK_FALSE(store->unavailable().has_value());
  CHECK(everything(*store) == before);
  CHECK(store->contents_id() == id);
  committed(*store, {"acct", "first"}, "p", {upsert("more")});
  CHECK(beside(disk.options) == std::vector<std::string>{"store", "store.snapshots"});
  REQUIRE(outcome(store->restore_snapshot("one")) == "done");
  CHECK(everything(*store) != before);
}

TEST_CASE("where neither can be opened, all calls are refused until there is room; then nothing is lost") {
  OnFullDisk disk;
  auto store = disk.open_filled();
  const DateTime last = committed(*store, {"acct", "first"}, "p", {upsert("last")});
  const std::string before = everything(*store), id = store->contents_id();
  take(*store, "two");
  disk.files().full = true;
  CHECK_THROWS_AS(store->restore_snapshot("one"), std::runtime_error);
  CHECK(disk.files().refused >= 2);
  REQUIRE(store->unavailable().has_value());
  CHECK(store->unavailable()->find("no space left") != std::string::npos);
  CHECK(disk.warnings().find("cannot be opened again") != std::string::npos);

  const std::vector<Write> writes{upsert("r")};
  const TableName table{"acct", "first"};
  CHECK(outcome_of([&] { store->create_table({"acct", "new"}).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->delete_table(table).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->get_table(table); }) == "ServerBusy");
  CHECK(outcome_of([&] { table_names(*store, "acct"); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->signed_identifiers(table).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->service_properties("acct"); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->set_service_properties("acct", "x"); }) == "ServerBusy");
  CHECK(outcome_of([&] { entity_at(*store, table, {"p", "0"}); }) == "ServerBusy");
  CHECK(outcome_of([&] { entities_in(*store, table); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->commit(table, "p", writes).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->is_empty(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->seed({}).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->reset(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->reset_account("acct"); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->reset_table(table).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->clone_account("acct", "copy").value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->take_snapshot("three", false).value(); }) == "ServerBusy");
  CHECK(outcome_of([&] { store->restore_snapshot("one").value(); }) == "ServerBusy");
  CHECK(store->snapshots().size() == 2);
  CHECK(outcome(store->delete_snapshot("two")) == "done");  // makes room, perhaps

  const int attempts = disk.files().refused;
  CHECK(wait_until([&] { return disk.files().refused >= attempts + 2; }));  // though nobody calls
  disk.files().full = false;
  REQUIRE(wait_until([&] { return !store->unavailable(); }));
  CHECK(disk.warnings().find("open again") != std::string::npos);
  CHECK(everything(*store) == before);
  CHECK(store->contents_id() == id);
  CHECK(last < committed(*store, table, "p", {upsert("after")}));
  const std::string after = everything(*store);
  CHECK(wait_until(
      [&] { return beside(disk.options) == std::vector<std::string>{"store", "store.snapshots"}; }));
  REQUIRE(outcome(store->restore_snapshot("one")) == "done");
  CHECK(everything(*store) != after);
}

TEST_CASE("a store that cannot be opened for long is given up, once, and whole at the next start") {
  OnFullDisk disk;
  std::atomic<int> given_up{0};
  std::mutex mutex;
  std::string reason;
  disk.options.reopen_timeout = std::chrono::milliseconds(1);
  disk.options.give_up = [&](const std::string& why) {
    const std::lock_guard lock(mutex);
    reason = why;
    ++given_up;
  };
  auto store = disk.open_filled();
  const std::string before = everything(*store);
  disk.files().full = true;
  CHECK_THROWS_AS(store->restore_snapshot("one"), std::runtime_error);
  REQUIRE(wait_until([&] { return given_up > 0; }));
  {
    const std::lock_guard lock(mutex);
    CHECK(reason.find("no space left") != std::string::npos);
  }
  CHECK(store->unavailable().has_value());
  CHECK(outcome_of([&] { store->is_empty(); }) == "ServerBusy");
  store.reset();
  CHECK(given_up == 1);
  disk.files().full = false;
  store = disk.open();
  CHECK(everything(*store) == before);
  CHECK(beside(disk.options) == std::vector<std::string>{"store", "store.snapshots"});
}

TEST_CASE("while a disk fills and empties during restores, no acknowledged write is lost") {
  OnFullDisk disk;
  auto store = disk.open();
  make_table(*store, kTable, 0);
  take(*store, "empty");
  std::atomic<bool> running{true};
  std::atomic<int> unexpected{0}, refused{0}, commits{0};
  std::mutex mutex;
  std::set<std::string> acknowledged;
  const auto write = [&](int thread) {
    for (int i = 0; running; ++i) {
      const std::string row = std::to_string(thread) + "-" + std::to_string(i);
      const std::vector<Write> writes{insert(row)};
      try {
        unexpected += !store->commit(kTable, "p", writes).has_value();
        const std::lock_guard lock(mutex);
        acknowledged.insert(row);
        ++commits;
      } catch (const ServiceException&) {
        ++refused;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 2; ++thread) threads.emplace_back(write, thread);
  for (int round = 0; round < 3; ++round) {
    const int before = commits;
    REQUIRE(wait_until([&] { return commits >= before + 10; }));
    disk.files().full = true;
    const int refused_before = refused;
    CHECK_THROWS_AS(store->restore_snapshot("empty"), std::runtime_error);
    CHECK(store->unavailable().has_value());
    REQUIRE(wait_until([&] { return refused > refused_before; }));
    disk.files().full = false;
    REQUIRE(wait_until([&] { return !store->unavailable(); }));
  }
  running = false;
  threads.clear();
  CHECK(unexpected == 0);
  std::set<std::string> found;
  for (const Entity& entity : entities_in(*store, kTable)) found.insert(entity.key.row_key);
  CHECK(found == acknowledged);
}

TEST_CASE("what is recovered from is told as long as it lasts, also where it fails anew at once") {
  std::atomic<int> attempts{0};
  std::atomic<bool> fails{true};
  Recovery* recovering = nullptr;
  Recovery recovery({std::chrono::milliseconds(1),
                     std::chrono::hours(1),
                     [&] {
                       ++attempts;
                       if (fails) throw std::runtime_error("again");
                       if (attempts < 1000) {
                         attempts = 1000;
                         recovering->begin("anew");
                       }
                     },
                     {}});
  recovering = &recovery;
  recovery.prepare();
  CHECK_FALSE(recovery.reason().has_value());
  recovery.begin("first");
  CHECK(recovery.reason().has_value());
  CHECK(wait_until([&] { return recovery.reason() == "again" && attempts >= 3; }));
  fails = false;
  CHECK(wait_until([&] { return !recovery.reason(); }));
  CHECK(attempts >= 1001);  // the failure during an attempt was not forgotten with its success
}

// --- Damaged snapshots -------------------------------------------------------------------------------------

// Tables whose rows fill several blocks, and rows that the log alone has.
std::string make_large_accounts(TableStore& store) {
  make_accounts(store);
  write_rows(store, {"acct", "third"}, 400, 500);
  return everything(store);
}

std::string restored_or_refused(TableStore& store, std::string_view name) {
  try {
    return outcome(store.restore_snapshot(name));
  } catch (const DamagedSnapshot& refusal) {
    return refusal.what();
  }
}

// Offsets of all kinds of parts: the ends, where headers and footers are, and between.
std::vector<std::uintmax_t> offsets_in(std::uintmax_t size) {
  std::set<std::uintmax_t> out;
  for (const std::uintmax_t from_the_end : {0, 1, 2, 3, 7, 8, 12, 20, 30, 40, 47, 52, 60, 100, 300})
    if (from_the_end < size) {
      out.insert(from_the_end);
      out.insert(size - 1 - from_the_end);
    }
  for (std::uintmax_t part = 1; part < 16; ++part)
    if (size > 0) out.insert(size * part / 16);
  return {out.begin(), out.end()};
}

void flip_bit(const fs::path& file, std::uintmax_t offset, int bit) {
  std::fstream stream(file, std::ios::binary | std::ios::in | std::ios::out);
  stream.seekg(static_cast<std::streamoff>(offset));
  const char byte = static_cast<char>(stream.get());
  stream.seekp(static_cast<std::streamoff>(offset));
  stream.put(static_cast<char>(byte ^ (1 << bit)));
  REQUIRE(stream.good());
}

TEST_CASE("a snapshot with a flipped bit is refused with the file's name, or restored right") {
  for (const bool lists_files : {true, false}) {
    CAPTURE(lists_files);
    const TemporaryFolder folder;
    const StoreOptions options = folder.store();
    TableStore store(options);
    const std::string full = make_large_accounts(store);
    take(store, "one");
    const fs::path snapshot = options.directory.string() + ".snapshots/one";
    own_files(snapshot);
    if (!lists_files) forget_list_of_files(snapshot);
    store.reset_account("other");
    std::string now = everything(store);
    int refused = 0, restored = 0;
    for (const auto& file : files_in(snapshot)) {
      const std::string name = file.filename().string();
      // Of what nobody listed, a bit of the text is as good as another.
      if (!lists_files && name == kSnapshotDescription) continue;
      for (const std::uintmax_t offset : offsets_in(fs::file_size(file))) {
        CAPTURE(name);
        CAPTURE(offset);
        std::string told;
        CAPTURE(told);
        const int bit = static_cast<int>(offset % 8);
        flip_bit(file, offset, bit);
        const std::string outcome = restored_or_refused(store, "one");
        told = outcome;
        if (outcome == "done") {
          ++restored;
          CHECK(everything(store) == full);
          own_files(snapshot);
          store.reset_account("other");
          now = everything(store);
        } else {
          ++refused;
          CHECK(outcome.find("snapshot one is damaged") != std::string::npos);
          CHECK(outcome.find(".restore") == std::string::npos);
          if (lists_files) CHECK(outcome.find(name) != std::string::npos);
          REQUIRE(everything(store) == now);
        }
        flip_bit(file, offset, bit);
      }
    }
    CHECK(refused > (lists_files ? 100 : 20));
    CHECK(beside(options) == std::vector<std::string>{"store", "store.snapshots"});
    committed(store, {"acct", "first"}, "p", {upsert("goes on")});
    REQUIRE(outcome(store.restore_snapshot("one")) == "done");
    CHECK(everything(store) == full);
    CHECK(restored > 0);  // padding, for one
  }
}

TEST_CASE("a snapshot with a file that is missing, cut short or another is refused with the file's name") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  TableStore store(options);
  make_large_accounts(store);
  take(store, "one");
  write_rows(store, {"acct", "third"}, 400, 501);
  take(store, "two");
  const fs::path snapshots = options.directory.string() + ".snapshots";
  own_files(snapshots / "one");
  const std::string now = everything(store);
  const auto refused = [&](const fs::path& file) {
    const std::string outcome = restored_or_refused(store, "one");
    CHECK(outcome.find("snapshot one is damaged") != std::string::npos);
    CHECK(outcome.find((snapshots / "one" / file.filename()).string()) != std::string::npos);
    CHECK(everything(store) == now);
  };
  const fs::path aside = folder.path() / "aside";
  for (const auto& file : files_in(snapshots / "one")) {
    if (file.filename() == kSnapshotDescription) continue;
    CAPTURE(file);
    fs::copy_file(file, aside, fs::copy_options::overwrite_existing);
    fs::remove(file);
    refused(file);
    fs::copy_file(aside, file);
    if (fs::file_size(file) == 0) continue;
    fs::resize_file(file, fs::file_size(file) - 1);
    refused(file);
    fs::resize_file(file, 0);
    refused(file);
    fs::copy_file(aside, file, fs::copy_options::overwrite_existing);
  }
  CHECK(restored_or_refused(store, "one") == "done");
}

TEST_CASE("a snapshot in memory is restored without a look at the disk") {
  TableStore store(in_memory());
  const std::string full = make_large_accounts(store);
  take(store, "one");
  store.reset();
  REQUIRE(outcome(store.restore_snapshot("one")) == "done");
  CHECK(everything(store) == full);
  CHECK_FALSE(store.unavailable().has_value());
}

}  // namespace
}  // namespace rocktable
