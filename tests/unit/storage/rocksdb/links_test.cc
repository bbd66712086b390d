// Symbolic links in the place of the store's folder, of snapshots, and of what an end of the process leaves.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/folder_swap.h"
#include "storage/rocksdb/format/key_codec.h"
#include "storage/rocksdb/repair/repair.h"
#include "tests/unit/storage/contents.h"
#include "tests/unit/storage/rocksdb/files.h"
#include "tests/unit/storage/rocksdb/fixtures/snapshots.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

using Names = std::vector<std::string>;

Names names_in(const fs::path& folder) {
  Names out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::sort(out.begin(), out.end());
  return out;
}

// here/store -> there/data
struct LinkedStore {
  LinkedStore() {
    fs::create_directories(real);
    fs::create_directories(link.parent_path());
    fs::create_directory_symlink("../there/data", link);
  }

  TemporaryFolder folder;
  fs::path real = folder.path() / "there" / "data", link = folder.path() / "here" / "store";
  StoreOptions options{.directory = link};
};

TEST_CASE("a path is resolved through all its links, whether or not there is a folder at its end") {
  const TemporaryFolder folder;
  const fs::path base = fs::canonical(folder.path());
  fs::create_directories(base / "a" / "b");
  fs::create_directory_symlink("a/b", base / "relative");
  fs::create_directory_symlink(base / "relative", base / "absolute");
  fs::create_directory_symlink("nothing/there", base / "dangling");
  fs::create_directory_symlink("..", base / "a" / "b" / "up");
  fs::create_directory_symlink("two", base / "one");
  fs::create_directory_symlink("one", base / "two");
  CHECK(real_path(base / "a") == base / "a");
  CHECK(real_path(base / "new" / "store") == base / "new" / "store");
  CHECK(real_path(base / "relative") == base / "a" / "b");
  CHECK(real_path(base / "absolute") == base / "a" / "b");
  CHECK(real_path(base / "absolute" / "store") == base / "a" / "b" / "store");
  CHECK(real_path(base / "absolute" / "up") == base / "a");
  CHECK(real_path(base / "dangling") == base / "nothing" / "there");
  CHECK_THROWS_AS(real_path(base / "one"), fs::filesystem_error);
}

TEST_CASE("a store whose folder is a link is restored behind the link, as often as one likes") {
  const LinkedStore linked;
  auto store = std::make_unique<OpenedStore>(linked.options);
  make_accounts(*store);
  const std::string full = everything(*store);
  take(*store, "one");
  for (int round = 0; round < 3; ++round) {
    CAPTURE(round);
    committed(*store, {"acct", "first"}, "p", {upsert("more")});
    REQUIRE(outcome(store->restore_snapshot("one")) == "done");
    CHECK(everything(*store) == full);
    take(*store, "one", true);
    CHECK(fs::is_symlink(linked.link));
    CHECK(names_in(linked.link.parent_path()) == Names{"store"});
    CHECK(names_in(linked.real.parent_path()) == Names{"data", "data.snapshots"});
    store.reset();
    store = std::make_unique<OpenedStore>(linked.options);
    CHECK(everything(*store) == full);
  }
  store.reset();
  OpenedStore by_its_own_name({.directory = linked.real});
  CHECK(everything(by_its_own_name) == full);
  CHECK(names_of(by_its_own_name.snapshots()) == "one ");
}

TEST_CASE("a link to nothing is refused with both names, and served once the folder is there") {
  const LinkedStore linked;
  fs::remove(linked.real);
  const std::string refusal = refusal_to_open(linked.options);
  CHECK(refusal.find(linked.link.string()) != std::string::npos);
  CHECK(refusal.find(fs::weakly_canonical(linked.real).string()) != std::string::npos);
  CHECK(refusal.find("does not exist") != std::string::npos);
  CHECK_FALSE(fs::exists(linked.real));
  fs::create_directory(linked.real);
  CHECK(refusal_to_open(linked.options).empty());
  CHECK(fs::is_symlink(linked.link));
}

TEST_CASE("a link to a file is refused") {
  const LinkedStore linked;
  fs::remove(linked.real);
  std::ofstream(linked.real) << "x";
  CHECK(refusal_to_open(linked.options).find("cannot create the folder") != std::string::npos);
  CHECK(fs::file_size(linked.real) == 1);
}

// As a store whose link was not resolved left them.
TEST_CASE("snapshots beside the link are found, restored, replaced and removed") {
  const LinkedStore linked;
  const fs::path beside_link = linked.link.string() + ".snapshots";
  auto store = std::make_unique<OpenedStore>(linked.options);
  take(*store, "empty");
  make_accounts(*store);
  const std::string full = everything(*store);
  for (const char* name : {"kept", "replaced", "removed"}) take(*store, name);
  store.reset();
  fs::create_directory(beside_link);
  for (const char* name : {"kept", "replaced", "removed"})
    fs::rename(linked.real.string() + ".snapshots/" + name, beside_link / name);
  fs::create_directory(beside_link / "~unfinished");
  store = std::make_unique<OpenedStore>(linked.options);
  CHECK(names_in(beside_link) == Names{".gitignore", "kept", "removed", "replaced"});
  CHECK(names_of(store->snapshots()) == "empty kept removed replaced ");
  REQUIRE(outcome(store->restore_snapshot("empty")) == "done");
  REQUIRE(outcome(store->restore_snapshot("kept")) == "done");
  CHECK(everything(*store) == full);
  REQUIRE(outcome(store->delete_snapshot("removed")) == "done");
  CHECK_FALSE(store->take_snapshot("replaced", false)->has_value());
  store->reset_account("other");
  take(*store, "replaced", true);
  CHECK(names_in(beside_link) == Names{".gitignore", "kept"});
  CHECK(names_of(store->snapshots()) == "empty kept replaced ");
  const std::string less = everything(*store);
  REQUIRE(outcome(store->restore_snapshot("kept")) == "done");
  REQUIRE(outcome(store->restore_snapshot("replaced")) == "done");
  CHECK(everything(*store) == less);
}

TEST_CASE("a snapshot that is a link is restored; removed or replaced, the link alone goes") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  const fs::path snapshots = options.directory.string() + ".snapshots", elsewhere = folder.path() / "elsewhere";
  OpenedStore store(options);
  make_accounts(store);
  const std::string full = everything(store);
  for (const bool replaced : {false, true}) {
    CAPTURE(replaced);
    take(store, "one");
    fs::remove_all(elsewhere);
    fs::rename(snapshots / "one", elsewhere);
    fs::create_directory_symlink(elsewhere, snapshots / "one");
    const Names files = names_in(elsewhere);
    CHECK(names_of(store.snapshots()) == "one ");
    store.reset();
    REQUIRE(outcome(store.restore_snapshot("one")) == "done");
    CHECK(everything(store) == full);
    if (replaced) {
      take(store, "one", true);
      CHECK_FALSE(fs::is_symlink(snapshots / "one"));
      CHECK(names_of(store.snapshots()) == "one ");
    } else {
      REQUIRE(outcome(store.delete_snapshot("one")) == "done");
      CHECK(names_in(snapshots) == Names{".gitignore"});
    }
    CHECK(names_in(elsewhere) == files);
  }
  fs::remove_all(snapshots / "one");
  fs::create_directory_symlink(folder.path() / "nothing", snapshots / "one");
  CHECK(store.snapshots().empty());
  CHECK(outcome(store.restore_snapshot("one")) == "ResourceNotFound");
  CHECK_FALSE(store.take_snapshot("one", false)->has_value());
  take(store, "one", true);
  REQUIRE(outcome(store.restore_snapshot("one")) == "done");
  CHECK(everything(store) == full);
}

TEST_CASE("leftovers of any kind are removed at the start, but not the targets of links") {
  const TemporaryFolder folder;
  const StoreOptions options = folder.store();
  const std::string home = options.directory.string();
  const fs::path precious = folder.path() / "precious";
  fs::create_directory(precious);
  std::ofstream(precious / "CURRENT") << "x";
  std::string full;
  {
    OpenedStore store(options);
    make_accounts(store);
    take(store, "one");
    full = everything(store);
  }
  for (const std::string& leftover : {home + ".restore", home + ".aside", home + ".snapshots/~one"}) {
    for (const std::string kind : {"link", "dangling link", "file", "folder of folders"}) {
      CAPTURE(leftover);
      CAPTURE(kind);
      if (kind == "link") fs::create_directory_symlink(precious, leftover);
      if (kind == "dangling link") fs::create_directory_symlink(folder.path() / "nothing", leftover);
      if (kind == "file") std::ofstream(leftover) << "x";
      if (kind == "folder of folders") {
        fs::create_directories(leftover + "/a/b");
        fs::create_directory_symlink(precious, leftover + "/a/link");
      }
      OpenedStore store(options);
      CHECK(everything(store) == full);
      CHECK_FALSE(fs::exists(fs::symlink_status(leftover)));
      REQUIRE(outcome(store.restore_snapshot("one")) == "done");
      CHECK(everything(store) == full);
      CHECK(names_in(precious) == Names{"CURRENT"});
    }
  }
}

// Makes that nothing in a folder can be removed; false where this user, or this file system, cannot do so.
bool set_immutable(const fs::path& folder, bool immutable) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return false;
  int flags = 0;
  bool done = ::ioctl(descriptor, FS_IOC_GETFLAGS, &flags) == 0;
  flags = immutable ? flags | FS_IMMUTABLE_FL : flags & ~FS_IMMUTABLE_FL;
  done = done && ::ioctl(descriptor, FS_IOC_SETFLAGS, &flags) == 0;
  ::close(descriptor);
  return done;
}

TEST_CASE("a leftover that cannot be removed causes a warning, and the store starts") {
  const TemporaryFolder folder;
  StoreOptions options = folder.store();
  std::string warnings, full;
  options.warn = [&](const std::string& sentence) { warnings += sentence + "\n"; };
  {
    OpenedStore store(options);
    make_accounts(store);
    take(store, "one");
    full = everything(store);
  }
  const std::string home = options.directory.string();
  const std::string leftovers[] = {home + ".restore", home + ".aside", home + ".snapshots/~one"};
  bool possible = true;
  for (const auto& leftover : leftovers) {
    fs::create_directory(leftover);
    std::ofstream(leftover + "/CURRENT") << "x";
    possible = set_immutable(leftover, true) && possible;
  }
  if (possible) {
    OpenedStore store(options);
    CHECK(everything(store) == full);
    for (const auto& leftover : leftovers) {
      CAPTURE(leftover);
      CHECK(warnings.find("cannot remove " + leftover) != std::string::npos);
      CHECK(fs::exists(leftover));
    }
    REQUIRE(outcome(store.restore_snapshot("one")) == "done");  // by a folder beside the leftover
    CHECK(everything(store) == full);
    CHECK(store.take_snapshot("one", true)->has_value());
    CHECK_FALSE(fs::exists(home + ".restore-2"));
    CHECK_FALSE(fs::exists(home + ".snapshots/~one-2"));
    take(store, "two");
  } else {
    MESSAGE("not tried: it takes root, and a file system with immutable files");
  }
  for (const auto& leftover : leftovers) set_immutable(leftover, false);
  OpenedStore store(options);
  for (const auto& leftover : leftovers) CHECK_FALSE(fs::exists(leftover));
  REQUIRE(outcome(store.restore_snapshot("one")) == "done");
  CHECK(everything(store) == full);
}

TEST_CASE("repair of a store behind a link keeps the link") {
  const LinkedStore linked;
  fill(linked.options);
  change(linked.options, put(2, encode_entity_key(TableId{1}, "p", "4"), "no record"));
  const RepairReport report = repair_store(linked.link, "acct");
  CHECK_FALSE(report.was_whole);
  CHECK(report.entities == 3);
  CHECK(fs::is_symlink(linked.link));
  CHECK(names_in(linked.link.parent_path()) == Names{"store"});
  CHECK(names_in(linked.real.parent_path()) == Names{"data", "data.damaged1"});
  const OpenedStore store(linked.options);
  CHECK(rows(store) == "123");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
