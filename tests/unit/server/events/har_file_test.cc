// HarFile: a complete document at any time, bounded, never touches other files.
#include "server/events/har_file.h"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kMebibyte = 1 << 20;

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string entry(int n, std::size_t size = 0) { return json{{"n", n}, {"text", std::string(size, 'x')}}.dump(); }

// Returns the numbers of the entries. Fails if the file is not a document.
std::vector<int> entries_of(const std::string& text) {
  const json document = json::parse(text);
  CHECK(document["log"]["version"] == "1.2");
  CHECK(document["log"]["creator"] == json{{"name", "rocktable"}, {"version", ROCKTABLE_VERSION}});
  std::vector<int> out;
  for (const auto& one : document["log"]["entries"]) out.push_back(one["n"]);
  return out;
}

std::vector<int> entries_in(const fs::path& path) { return entries_of(read(path)); }

std::string refusal(const fs::path& path) {
  try {
    const HarFile file(path, 4 * kMebibyte);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

// Limits the size of written files during its lifetime, as on a full disk.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() { setrlimit(RLIMIT_FSIZE, &before_); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
};

TEST_CASE("A trace is a document after each entry") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 4 * kMebibyte);
  CHECK(entries_in(path).empty());
  std::vector<int> expected;
  for (int i = 0; i < 20; ++i) {
    file.append(entry(i, static_cast<std::size_t>(i) * 100));
    expected.push_back(i);
    CHECK(entries_in(path) == expected);
  }
}

TEST_CASE("The next start keeps the previous trace, and no older one") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  for (int i = 0; i < 3; ++i) HarFile(path, 4 * kMebibyte).append(entry(i));
  CHECK(entries_in(path) == std::vector{2});
  CHECK(entries_in(path.string() + ".1") == std::vector{1});
}

TEST_CASE("A trace that is truncated anywhere is repaired at the next start") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  const fs::path older = path.string() + ".1";
  {
    HarFile file(path, 4 * kMebibyte);
    for (int i = 0; i < 3; ++i) file.append(entry(i, 5));
  }
  const std::string whole = read(path);
  const std::vector<int> all{0, 1, 2};
  const std::size_t head = whole.find("[\n{") + 1;
  for (std::size_t size = head; size < whole.size(); ++size) {
    CAPTURE(size);
    write(path, whole.substr(0, size));
    HarFile(path, 4 * kMebibyte);
    const auto kept = entries_in(older);
    CHECK(std::equal(kept.begin(), kept.end(), all.begin()));
    const auto complete = static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + size, '\n'));
    CHECK(kept.size() + 2 >= complete);
    CHECK(entries_in(path).empty());
  }
}

TEST_CASE("A trace of another version is repaired, too") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  const std::string head = R"({"log":{"version":"1.2","creator":{"name":"rocktable","version":"10.20.30"},"entries":[)";
  write(path, head + "\n{\"n\":1");
  HarFile(path, 4 * kMebibyte);
  CHECK(json::parse(read(path.string() + ".1"))["log"]["entries"].empty());
  write(path, head + "\n{\"n\":1},\n{\"n\":");
  HarFile(path, 4 * kMebibyte);
  CHECK(json::parse(read(path.string() + ".1"))["log"]["entries"].size() == 1);
}

TEST_CASE("A write that is truncated anywhere is repaired at the next start") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  std::string before, after;
  {
    HarFile file(path, 4 * kMebibyte);
    file.append(entry(0));
    file.append(entry(1));
    before = read(path);
    file.append(entry(2));
    after = read(path);
  }
  for (std::size_t from = before.size() - 5, size = from; size < after.size(); ++size) {
    CAPTURE(size);
    const std::string rest = size < before.size() ? before.substr(size) : "";
    write(path, after.substr(0, size) + rest);
    HarFile(path, 4 * kMebibyte);
    CHECK(entries_in(path.string() + ".1").size() >= 1);
  }
}

TEST_CASE("The last entries are in two files, which stay within the limit") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  const fs::path older = path.string() + ".1";
  HarFile file(path, 4 * kMebibyte);
  int last = 0;
  for (; last < 100; ++last) {
    file.append(entry(last, 100'000));
    CHECK(fs::file_size(path) + (fs::exists(older) ? fs::file_size(older) : 0) <= 4 * kMebibyte);
  }
  auto kept = entries_in(older);
  const auto newer = entries_in(path);
  kept.insert(kept.end(), newer.begin(), newer.end());
  CHECK(kept.size() >= 20);
  CHECK(kept.back() == 99);
  CHECK(kept.front() == 100 - static_cast<int>(kept.size()));
  CHECK(std::distance(fs::directory_iterator(folder.path()), {}) == 2);
}

TEST_CASE("Files that are not traces are left unchanged") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  for (const std::string text :
       {"notes", "{}", R"({"log":{"version":"1.2","creator":{"name":"other","version":"1"}}})"}) {
    CAPTURE(text);
    write(path, text);
    CHECK(refusal(path) == "cannot write the trace " + path.string() +
                               ": a file of that name exists and is not a trace of rocktable; it was not changed");
    CHECK(read(path) == text);
  }
  fs::remove(path);
  CHECK(refusal(path).empty());
  write(path.string() + ".1", "notes");
  CHECK(refusal(path).find("t.har.1: a file of that name exists") != std::string::npos);
  CHECK(read(path.string() + ".1") == "notes");
  CHECK(entries_in(path).empty());

  CHECK(refusal(folder.path()).find("Is a directory") != std::string::npos);
  CHECK(refusal("/dev/null").find("it is not a regular file") != std::string::npos);
  CHECK(refusal(folder.path() / "none" / "t.har").find("No such file or directory") != std::string::npos);
}

TEST_CASE("Only one process writes a trace") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 4 * kMebibyte);
  file.append(entry(1));
  CHECK(refusal(path) == "cannot write the trace " + path.string() + ": another process is writing it");
  file.append(entry(2));
  CHECK(entries_in(path) == std::vector{1, 2});
}

TEST_CASE("An empty file is reused, and a link is followed") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  write(path, "");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink(path, folder.path() / "link");
  HarFile(folder.path() / "link", 4 * kMebibyte).append(entry(1));
  CHECK(entries_in(path) == std::vector{1});
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
  HarFile(folder.path() / "link", 4 * kMebibyte).append(entry(2));
  CHECK(fs::is_symlink(folder.path() / "link"));
  CHECK(entries_in(path) == std::vector{2});
}

TEST_CASE("A trace that is deleted, renamed, emptied or extended during writing continues") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 4 * kMebibyte);
  file.append(entry(1));
  fs::remove(path);
  file.append(entry(2));
  CHECK(entries_in(path) == std::vector{2});
  fs::rename(path, folder.path() / "kept.har");
  file.append(entry(3));
  CHECK(entries_in(path) == std::vector{3});
  CHECK(entries_in(folder.path() / "kept.har") == std::vector{2});
  fs::resize_file(path, 0);
  file.append(entry(4));
  CHECK(entries_in(path) == std::vector{4});
  std::ofstream(path, std::ios::app) << "more";
  file.append(entry(5));
  CHECK(entries_in(path) == std::vector{4, 5});
  fs::remove(path);
  write(path, "notes");
  file.append(entry(6));
  CHECK(read(path) == "notes");
  fs::remove(path);
  file.append(entry(7));
  CHECK(json::parse(read(path))["log"]["entries"] == json::parse(R"([{"_missingBefore": 1, "n": 7, "text": ""}])"));
}

TEST_CASE("If the disk is full, the document is unchanged, and continues after space is freed") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 4 * kMebibyte);
  file.append(entry(1, 1000));
  {
    const FullDisk full(2000);
    for (int i = 2; i < 5; ++i) file.append(entry(i, 1000));
    CHECK(entries_in(path) == std::vector{1});
    file.append(entry(5));
    CHECK(entries_in(path) == std::vector{1, 5});
    file.append(entry(6, 1000));
  }
  file.append(entry(7, 1000));
  CHECK(entries_in(path) == std::vector{1, 5, 7});
  const json entries = json::parse(read(path))["log"]["entries"];
  CHECK(entries[1]["_missingBefore"] == 3);
  CHECK(entries[2]["_missingBefore"] == 1);
}

TEST_CASE("If the next file cannot be created, the full one stays") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 4 * kMebibyte);
  for (int i = 0; i < 20; ++i) file.append(entry(i, 100'000));
  {
    const FullDisk full(20);
    file.append(entry(20, 100'000));
    CHECK(entries_in(path).back() == 19);
  }
  file.append(entry(21, 100'000));
  CHECK(entries_in(path) == std::vector{21});
  CHECK(entries_in(path.string() + ".1").back() == 19);
}

TEST_CASE("Threads write the same trace") {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "t.har";
  HarFile file(path, 64 * kMebibyte);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&file, t] {
        for (int i = 0; i < 50; ++i) file.append(entry(t * 50 + i, 300));
      });
  }
  auto all = entries_in(path);
  std::sort(all.begin(), all.end());
  CHECK(all.size() == 200);
  CHECK(std::unique(all.begin(), all.end()) == all.end());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
