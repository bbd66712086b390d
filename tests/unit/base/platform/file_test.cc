#include "base/platform/file.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "base/atomic_file.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

std::string contents(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

File made(const fs::path& path, std::string_view text, FileRights rights = FileRights::Usual) {
  File out = File::create(path, rights);
  REQUIRE(out.is_open());
  REQUIRE(out.write_all(text));
  return out;
}

}  // namespace

TEST_CASE("a file is created once, with its bytes unchanged, whatever its name") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / fs::path(u8"Müller \u65e5\u672c \U0001f600.txt");
  const std::string text("line\r\nline\n\x1a\0end", 16);
  made(path, text);
  CHECK(contents(path) == text);
  CHECK_FALSE(File::create(path, FileRights::Usual).is_open());
  CHECK(errno == EEXIST);
  CHECK_FALSE(File::open(folder.path() / "absent", OpenMode::Read).is_open());
  CHECK(errno == ENOENT);
  CHECK_FALSE(File::open(folder.path() / "absent", OpenMode::Read).status());
  CHECK(errno == ENOENT);
}

TEST_CASE("a file is read and written at offsets, cut, and appended to") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  File file = made(path, "0123456789");
  char bytes[4];
  CHECK(file.read_at(8, bytes, sizeof bytes) == 2);
  CHECK(std::string_view(bytes, 2) == "89");
  CHECK(file.read_at(10, bytes, sizeof bytes) == 0);
  CHECK(file.write_at(2, "ab") == 2);
  CHECK(file.truncate(5));
  CHECK(contents(path) == "01ab4");
  CHECK(file.sync());
  file.close();
  const File again = File::open(path, OpenMode::Append);
  CHECK(again.truncate(3));
  CHECK(again.write_all("end"));
  CHECK(contents(path) == "01aend");
}

TEST_CASE("a status identifies a file, and counts its names") {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a", b = folder.path() / "b";
  File file = made(a, "text");
  CHECK(link_file(a, b));
  CHECK_FALSE(link_file(a, b));
  CHECK(errno == EEXIST);
  const auto by_descriptor = file.status(), by_name = status_of(b), of_folder = status_of(folder.path());
  REQUIRE(by_descriptor);
  REQUIRE(by_name);
  REQUIRE(of_folder);
  CHECK(by_name->kind == FileStatus::Kind::Regular);
  CHECK(by_name->size == 4);
  CHECK(by_name->links == 2);
  CHECK(by_name->number == by_descriptor->number);
  CHECK(by_name->device == by_descriptor->device);
  CHECK(of_folder->kind == FileStatus::Kind::Folder);
  CHECK(of_folder->number != by_name->number);
  file.close();
  CHECK(remove_file(a));
  CHECK(status_of(b)->links == 1);
  CHECK_FALSE(remove_file(a));
  CHECK(errno == ENOENT);
}

TEST_CASE("a file replaces another one, also if that is open for a moment") {
  const TemporaryFolder folder;
  const fs::path a = folder.path() / "a", b = folder.path() / "b";
  made(a, "new");
  std::thread other([file = made(b, "old")]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    file.close();
  });
  CHECK(rename_file(a, b));
  other.join();
  CHECK(contents(b) == "new");
  CHECK_FALSE(fs::exists(a));
  CHECK_FALSE(rename_file(a, b));
  CHECK(errno == ENOENT);
}

TEST_CASE("a lock keeps other objects from locking, until it is closed, and nobody from reading") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  File first = made(path, "text");
  REQUIRE(first.lock() == LockOutcome::Locked);
  const File second = File::open(path, OpenMode::ReadWrite);
  CHECK(second.lock() == LockOutcome::HeldByAnother);
  CHECK(contents(path) == "text");
  first.close();
  CHECK(second.lock() == LockOutcome::Locked);
}

TEST_CASE("only files of their owner are private") {
  const TemporaryFolder folder;
  made(folder.path() / "own", "", FileRights::OwnerOnly);
  made(folder.path() / "all", "", FileRights::ReadableByAll);
  CHECK(is_private(folder.path() / "own"));
  CHECK(is_private(folder.path() / "absent"));
  fs::path unique = folder.path() / "unique";
  CHECK(File::create_unique(unique, FileRights::OwnerOnly).is_open());
  CHECK(unique.filename().string().starts_with("unique."));
  CHECK(is_private(unique));
}

TEST_CASE("an atomic file leaves nothing behind, and appears whole") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "file";
  {
    AtomicFile file(path, FileRights::OwnerOnly);
    file.write("lost");
  }
  CHECK(fs::is_empty(folder.path()));
  for (const char* text : {"first", "second"}) {
    AtomicFile file(path, FileRights::OwnerOnly);
    file.write(text);
    CHECK(file.replace());
  }
  AtomicFile late(path, FileRights::OwnerOnly);
  late.write("third");
  CHECK(late.create_if_absent());
  CHECK(contents(path) == "second");
  CHECK(is_private(path));
}

}  // namespace rocktable::TEST_FILE
