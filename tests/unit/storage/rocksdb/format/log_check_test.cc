// Logs of RocksDB that end early, have holes, or are missing.
#include "storage/rocksdb/format/log_check.h"

#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "tests/unit/support/opened_store.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view bytes) { std::ofstream(path, std::ios::binary) << bytes; }

fs::path the_log_of(const fs::path& store) {
  for (const auto& entry : fs::directory_iterator(store))
    if (entry.path().extension() == ".log" && fs::file_size(entry) > 0) return entry.path();
  FAIL("there is no log");
  return {};
}

// A copy of an open store, as if its process had died: ten commits, each larger than a block of the log.
void die_after_ten_commits(const fs::path& copy) {
  const TemporaryFolder folder;
  OpenedStore store(folder.store());
  REQUIRE(store.create_table({"acct", "table"}).has_value());
  for (int i = 0; i < 10; ++i) {
    const std::vector<Mutation> writes{{WriteKind::Insert, std::to_string(i), {}, {{"a", std::string(40'000, 'x')}}}};
    REQUIRE(store.commit({"acct", "table"}, "p", writes).has_value());
  }
  fs::copy(folder.store().directory, copy);
}

std::vector<std::size_t> record_offsets(const std::string& log) {
  std::vector<std::size_t> out;
  CHECK_FALSE(read_log(log, [&](std::uint64_t offset, std::string_view) { out.push_back(offset); }));
  return out;
}

TEST_CASE("the logs of a store that died are whole") {
  const TemporaryFolder folder;
  die_after_ten_commits(folder.path() / "store");
  const LogCheck found = check_logs(folder.path() / "store");
  CHECK(found.damage.empty());
  CHECK(found.torn.empty());
  CHECK(record_offsets(read(the_log_of(folder.path() / "store"))).size() >= 11);
}

TEST_CASE("a folder without a store is not damaged") {
  const TemporaryFolder folder;
  CHECK(check_logs(folder.path()).damage.empty());
  CHECK(check_logs(folder.path() / "absent").damage.empty());
}

TEST_CASE("a truncated log is torn, or ends between two records") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "store";
  die_after_ten_commits(store);
  const fs::path log = the_log_of(store);
  const std::string whole = read(log);
  std::map<std::size_t, bool> ends;
  for (const std::size_t offset : record_offsets(whole)) ends[offset] = true;
  for (std::size_t size = 1; size < whole.size(); size += 997) ends.try_emplace(size, false);
  for (const auto& [size, between] : ends) {
    CAPTURE(size);
    write(log, whole.substr(0, size));
    const LogCheck found = check_logs(store);
    CHECK(found.damage.empty());
    CHECK(found.torn.empty() == between);
  }
}

TEST_CASE("a flipped bit is damage; in the last record, the log is torn") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "store";
  die_after_ten_commits(store);
  const fs::path log = the_log_of(store);
  const std::string whole = read(log);
  const std::size_t last = record_offsets(whole).back();
  for (std::size_t at = 0; at < whole.size(); at += 1013) {
    CAPTURE(at);
    std::string flipped = whole;
    flipped[at] ^= 4;
    write(log, flipped);
    const LogCheck found = check_logs(store);
    CHECK((found.damage.find(log.filename().string() + " is damaged at byte ") != std::string::npos) == (at < last));
    CHECK(found.torn.empty() == (at < last));
  }
}

// The manifest may count operations that only the log of an earlier start has.
TEST_CASE("a flipped bit in the log of an earlier start is damage") {
  const TemporaryFolder folder;
  const fs::path died = folder.path() / "died", store = folder.path() / "store";
  die_after_ten_commits(died);
  const fs::path first_log = store / the_log_of(died).filename();
  StoreOptions options = folder.store();
  options.directory = died;
  {
    OpenedStore again(options);
    const std::vector<Mutation> writes{{WriteKind::Insert, "again", {}, {}}};
    REQUIRE(again.commit({"acct", "table"}, "p", writes).has_value());
    fs::copy(died, store);
  }
  CHECK(check_logs(store).damage.empty());
  const std::string whole = read(first_log);
  const std::size_t last = record_offsets(whole).back();
  for (std::size_t at = 0; at < last; at += 4001) {
    CAPTURE(at);
    std::string flipped = whole;
    flipped[at] ^= 4;
    write(first_log, flipped);
    const LogCheck found = check_logs(store);
    CHECK(found.damage.find(first_log.filename().string() + " is damaged at byte ") != std::string::npos);
    CHECK((found.misses_more || !found.missing.empty()));
  }
}

TEST_CASE("a hole in a log is damage, and so is a record that is missing without a trace") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "store";
  die_after_ten_commits(store);
  const fs::path log = the_log_of(store);
  std::string zeroed = read(log);
  zeroed.replace(3 * 32768, 32768, 32768, '\0');
  write(log, zeroed);
  CHECK(check_logs(store).damage.find("missing before byte") != std::string::npos);

  fs::rename(log, store / "000999.log");  // a number that implies earlier logs
  std::string later = read(store / "000999.log").substr(4 * 32768);
  write(store / "000999.log", later);
  CHECK_FALSE(check_logs(store).damage.empty());
}

TEST_CASE("a store whose log, or whose CURRENT, is missing is damaged") {
  const TemporaryFolder folder;
  const fs::path store = folder.path() / "store";
  die_after_ten_commits(store);
  fs::rename(the_log_of(store), folder.path() / "kept");
  CHECK(check_logs(store).damage.find(".log (or one of a later number) is missing") != std::string::npos);
  fs::rename(folder.path() / "kept", store / "000004.log");
  fs::remove(store / "CURRENT");
  CHECK(check_logs(store).damage == "CURRENT is missing or empty");
}

// Arbitrary files, for example of a failing disk.
TEST_CASE("any bytes are read as a log to their end") {
  std::string bytes;
  for (unsigned i = 0, x = 1; i < 200'000; ++i) bytes += static_cast<char>((x = x * 1664525 + 1013904223) >> 24);
  int records = 0;
  CHECK(read_log(bytes, [&](std::uint64_t, std::string_view) { ++records; }) == 0);
  CHECK(records == 0);
  CHECK(read_log(std::string(100'000, '\0'), [](std::uint64_t, std::string_view) {}) == 0);
  CHECK_FALSE(read_log("", [](std::uint64_t, std::string_view) {}));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
