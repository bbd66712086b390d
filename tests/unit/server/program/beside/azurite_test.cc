// Where Azurite is found, and which of its lines says where it listens.
#include "server/program/beside/azurite.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

void make_program(const fs::path& path, fs::perms permissions) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << "#!/bin/sh\n";
  fs::permissions(path, permissions);
}

TEST_CASE("Azurite is found in the nearest node_modules, then in PATH") {
  const TemporaryFolder folder;
  const fs::path root = folder.path();
  fs::create_directories(root / "a/b/c");
  const std::string path = "::" + (root / "nowhere").string() + ":" + (root / "bin").string();
  CHECK(find_azurite("blob", root / "a/b/c", path) == std::nullopt);
  make_program(root / "bin/azurite-blob", fs::perms::owner_all);
  CHECK(find_azurite("blob", root / "a/b/c", path) == root / "bin/azurite-blob");
  CHECK(find_azurite("queue", root / "a/b/c", path) == std::nullopt);
  make_program(root / "a/node_modules/.bin/azurite-blob", fs::perms::owner_read);  // cannot be executed
  if (access((root / "a/node_modules/.bin/azurite-blob").c_str(), X_OK) != 0)
    CHECK(find_azurite("blob", root / "a/b/c", path) == root / "bin/azurite-blob");
  make_program(root / "node_modules/.bin/azurite-blob", fs::perms::owner_all);
  make_program(root / "a/b/node_modules/.bin/azurite-blob", fs::perms::owner_all);
  CHECK(find_azurite("blob", root / "a/b/c", path) == root / "a/b/node_modules/.bin/azurite-blob");
  fs::create_directories(root / "a/b/c/node_modules/.bin/azurite-blob");  // no file
  CHECK(find_azurite("blob", root / "a/b/c", path) == root / "a/b/node_modules/.bin/azurite-blob");
}

TEST_CASE("Azurite says where it listens in one whole line") {
  const auto address = [](const std::string& printed) -> std::string {
    const auto found = azurite_address(printed);
    return found ? found->host + " " + std::to_string(found->port) : "none";
  };
  const std::string before = "Azurite Blob service is starting on 127.0.0.1:0\n";
  const std::string line = "Azurite Blob service successfully listens on http";
  CHECK(address(before + line + "://127.0.0.1:36093\n") == "127.0.0.1 36093");
  CHECK(address(line + "s://127.0.0.1:1\nmore\n") == "127.0.0.1 1");
  CHECK(address(line + "://127.0.0.1:1\r\n") == "127.0.0.1 1");
  CHECK(address(line + "://:::10000\n") == "[::] 10000");
  CHECK(address(line + "://::1:10000\n") == "[::1] 10000");
  CHECK(address("") == "none");
  CHECK(address(before) == "none");
  const std::string whole = line + "://127.0.0.1:36093\n";
  for (std::size_t length = 0; length < whole.size(); ++length) CHECK(address(whole.substr(0, length)) == "none");
  for (const char* port : {"0", "65536", "-1", "", "a"}) CHECK(address(line + "://h:" + port + "\n") == "none");
}

}  // namespace
}  // namespace rocktable::TEST_FILE
