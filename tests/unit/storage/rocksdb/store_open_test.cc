// Opening and closing of stores: locks, folders, restarts.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/unit/storage/store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("timestamps increase across restarts, also in quick succession") {
  const TemporaryFolder folder;
  DateTime last;
  for (int restart = 0; restart < 4; ++restart) {
    OpenedStore store(folder.store());
    if (restart == 0) REQUIRE(outcome(store.create_table(kTable)) == "done");
    for (int i = 0; i < 50; ++i) {
      const DateTime timestamp = committed(store, kTable, "p", {upsert("r")});
      CHECK(last < timestamp);
      last = timestamp;
    }
  }
}

TEST_CASE("stores in memory share nothing and leave nothing") {
  OpenedStore a(in_memory()), b(in_memory());
  REQUIRE(outcome(a.create_table(kTable)) == "done");
  CHECK_FALSE(b.get_table(kTable).has_value());
  CHECK_FALSE(OpenedStore(in_memory()).get_table(kTable).has_value());
}

TEST_CASE("an open folder is not opened a second time") {
  const TemporaryFolder folder;
  OpenedStore store(folder.store());
  REQUIRE(outcome(store.create_table(kTable)) == "done");
  CHECK(refusal_to_open(folder.store()) ==
        "the folder " + folder.store().directory.string() + " is in use by another rocktable");
  committed(store, kTable, "p", {insert("r")});  // the first store still works
}

// Another process holds RocksDB's lock, as a second server would. The child process only takes the lock,
// because few calls are safe after fork().
TEST_CASE("a folder that another process has open is not opened") {
  const TemporaryFolder folder;
  {
    const OpenedStore store(folder.store());
  }
  const std::string lock_file = folder.store().directory / "LOCK";
  int locked[2], release[2];
  REQUIRE(::pipe(locked) == 0);
  REQUIRE(::pipe(release) == 0);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    struct flock lock{};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const int file = ::open(lock_file.c_str(), O_RDWR);
    char byte = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    ::close(release[1]);
    ::_exit(::write(locked[1], &byte, 1) == 1 && ::read(release[0], &byte, 1) == 0 ? 0 : 1);
  }
  char answer = 0;
  REQUIRE(::read(locked[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  CHECK(refusal_to_open(folder.store()) ==
        "the folder " + folder.store().directory.string() + " is in use by another rocktable");
  ::close(release[1]);
  ::waitpid(child, nullptr, 0);
  for (const int end : {locked[0], locked[1], release[0]}) ::close(end);
  CHECK(refusal_to_open(folder.store()) == "");
}

TEST_CASE("a path that cannot be a folder is refused with a message that names it") {
  const TemporaryFolder folder;
  const auto file = folder.path() / "file";
  std::ofstream(file) << "not a folder";
  for (const auto& directory : {file, file / "store"}) {
    CAPTURE(directory.string());
    const std::string sentence = refusal_to_open({directory, false, false});
    CHECK(sentence.find("cannot create the folder " + directory.string()) != std::string::npos);
  }
  CHECK(std::filesystem::file_size(file) == 12);
}

TEST_CASE("another fault of the lock is not reported as a second server") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.store().directory / "LOCK");
  CHECK(refusal_to_open(folder.store()).starts_with("cannot open the store in " + folder.store().directory.string()));
}

TEST_CASE("a store whose files are damaged is refused, not opened empty") {
  const TemporaryFolder folder;
  {
    const OpenedStore store(folder.store());
  }
  std::ofstream(folder.store().directory / "CURRENT") << "MANIFEST-999999\n";
  CHECK(refusal_to_open(folder.store()).starts_with("cannot open the store in " + folder.store().directory.string()));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
