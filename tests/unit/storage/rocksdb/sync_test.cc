// Which calls sync to the disk: each write if the store syncs, none otherwise.
#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/unit/storage/contents.h"
#include "tests/unit/storage/rocksdb/watched_files.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

struct Call {
  std::string name;
  std::function<void(OpenedStore&)> run;
};

std::vector<Call> writing_calls() {
  return {
      {"create_table", [](OpenedStore& store) { store.create_table({"acct", "new"}).value(); }},
      {"insert", [](OpenedStore& store) { committed(store, kTable, "p", {insert("new")}); }},
      {"replace", [](OpenedStore& store) { committed(store, kTable, "p", {upsert("new", {{"n", true}})}); }},
      {"delete", [](OpenedStore& store) { committed(store, kTable, "p", {remove("new")}); }},
      {"transaction", [](OpenedStore& store) { committed(store, kTable, "p", {upsert("a"), upsert("b")}); }},
      {"set_signed_identifiers", [](OpenedStore& store) { store.set_signed_identifiers(kTable, "who may").value(); }},
      {"set_service_properties", [](OpenedStore& store) { store.set_service_properties("acct", "x"); }},
      {"clone_account", [](OpenedStore& store) { store.clone_account("acct", "copy").value(); }},
      {"reset_table", [](OpenedStore& store) { store.reset_table(kTable).value(); }},
      {"delete_table", [](OpenedStore& store) { store.delete_table(kTable).value(); }},
      {"reset_account", [](OpenedStore& store) { store.reset_account("acct"); }},
      {"seed",
       [](OpenedStore& store) { store.seed({{"acct", "seeded", [] { return std::optional<Entity>(); }}}).value(); }},
      {"reset", [](OpenedStore& store) { store.reset(); }},
  };
}

TEST_CASE("with the option, each write is synced before it is acknowledged; without it, no write syncs") {
  for (const bool sync : {true, false}) {
    CAPTURE(sync);
    const TemporaryFolder folder;
    WatchedEnvironment watched;
    StoreOptions options = folder.store(sync);
    options.environment = &watched.environment();
    OpenedStore store(options);
    make_table(store, kTable);
    for (const auto& [name, run] : writing_calls()) {
      CAPTURE(name);
      const int before = watched.files().log_syncs;
      run(store);
      const int syncs = watched.files().log_syncs - before;
      if (sync) {
        CHECK(syncs >= 1);
      } else {
        CHECK(syncs == 0);
      }
    }
    make_table(store, kTable, 0);
    const int before = watched.files().log_syncs;
    for (int i = 0; i < 50; ++i) committed(store, kTable, "p", {upsert(std::to_string(i))});
    CHECK(watched.files().log_syncs - before >= (sync ? 50 : 0));
    if (!sync) CHECK(watched.files().log_syncs == before);
  }
}

TEST_CASE("a restored snapshot is synced before the restore is acknowledged, also without the option") {
  const TemporaryFolder folder;
  WatchedEnvironment watched;
  StoreOptions options = folder.store();
  options.environment = &watched.environment();
  OpenedStore store(options);
  make_table(store, kTable);
  store.take_snapshot("one", false).value();
  const int before = watched.files().log_syncs;
  store.restore_snapshot("one").value();
  CHECK(watched.files().log_syncs > before);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
