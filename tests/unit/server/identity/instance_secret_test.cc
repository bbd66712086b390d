#include "server/identity/instance_secret.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>
#include <vector>

#include "base/base64.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

TEST_CASE("instance secret: a key belongs to its secret and its purpose") {
  const InstanceSecret one, other;
  CHECK(one.derive("a") == one.derive("a"));
  CHECK(one.derive("a") != one.derive("b"));
  CHECK(one.derive("a") != other.derive("a"));
  CHECK(decode_base64(one.derive("a"))->size() == 32);
}

TEST_CASE("instance secret: front ends with the same text have the same keys") {
  const std::string text = "sixteen letters!";
  CHECK(InstanceSecret(text).derive("a") == InstanceSecret(text).derive("a"));
  CHECK(InstanceSecret(text).derive("a") != InstanceSecret(text + "x").derive("a"));
  CHECK_THROWS_AS(InstanceSecret("fifteen letters"), std::invalid_argument);
}

TEST_CASE("instance secret: a folder keeps its secret in a file that only its owner can read") {
  const TemporaryFolder folder;
  const std::string key = InstanceSecret::of_folder(folder.path()).derive("a");
  CHECK(InstanceSecret::of_folder(folder.path()).derive("a") == key);
  struct stat status{};
  REQUIRE(stat((folder.path() / InstanceSecret::kFile).c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0600);
}

TEST_CASE("instance secret: processes that start at once agree on the secret") {
  const TemporaryFolder folder;
  std::vector<std::string> keys(8);
  {
    std::vector<std::jthread> threads;
    for (auto& key : keys) threads.emplace_back([&] { key = InstanceSecret::of_folder(folder.path()).derive("a"); });
  }
  for (const auto& key : keys) CHECK(key == keys.front());
}

TEST_CASE("instance secret: a file of another form is refused and kept") {
  for (const std::string text :
       {"", "{}", R"({"version": 2, "secret": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="})",
        R"({"version": 1, "secret": "c2hvcnQ="})", R"({"version": 1, "secret": 7})", "[1]", "\xff"}) {
    CAPTURE(text);
    const TemporaryFolder folder;
    std::ofstream(folder.path() / InstanceSecret::kFile) << text;
    CHECK_THROWS_AS(InstanceSecret::of_folder(folder.path()), std::runtime_error);
    CHECK(std::filesystem::file_size(folder.path() / InstanceSecret::kFile) == text.size());
  }
}

TEST_CASE("instance secret: a folder that cannot be written is an error") {
  CHECK_THROWS_AS(InstanceSecret::of_folder("/proc/self/none"), std::runtime_error);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
