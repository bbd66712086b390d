// Companions as npm installs them on Windows, and their end if this process is killed.
#include "base/platform/companions.h"

#include <doctest/doctest.h>

#include <fstream>
#include <string>
#include <thread>

#include "base/platform/file.h"
#include "base/platform/own_process.h"
#include "tests/unit/support/acting_companion.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a program is the file with an ending of PATHEXT, and batch files are programs") {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "some-program") << "#!/bin/sh\n";  // npm makes this one, too
  CHECK_FALSE(program_at(folder.path() / "some-program"));
  std::ofstream(folder.path() / "some-program.cmd") << "@exit 0\r\n";
  const auto found = program_at(folder.path() / "some-program");
  REQUIRE(found);
  CHECK(fs::equivalent(*found, folder.path() / "some-program.cmd"));
  CHECK_FALSE(program_at(folder.path() / "nowhere/some-program"));
  CHECK(folders_in("C:\\a;;\"D:\\b c\";") == std::vector<fs::path>{"C:\\a", "D:\\b c"});
}

TEST_CASE("the program in a batch file stops in order before the batch file ends") {
  if (!can_ask_to_stop()) return;
  const TemporaryFolder folder;
  CompanionStart start = acting_companion("stop in order");
  std::string line = "@echo off\r\n";
  for (const auto& word : start.words) line += "\"" + word + "\" ";
  const fs::path batch = folder.path() / "with blanks.cmd";
  std::ofstream(batch, std::ios::binary) << line << "%*\r\n";
  start.words = {batch.string(), "--no-colors=true"};
  Companion companion(start);
  std::string printed;
  REQUIRE(read_until(companion, printed, ".\n"));
  companion.ask_to_stop();
  CHECK(told_by(companion).starts_with("stopped in order\n"));
  CHECK(companion.await_end(std::chrono::milliseconds(0)));
}

TEST_CASE("a companion, and what a batch file starts, ends if this process is killed") {
  std::string printed;
  {
    Companion companion(acting_companion("start another"));
    REQUIRE(read_until(companion, printed, "inner process "));
    REQUIRE(read_until(companion, printed, ".\n"));
  }
  const std::size_t number = printed.find("inner process ") + std::string("inner process ").size();
  const auto inner = std::stoll(printed.substr(number));
  const auto end = std::chrono::steady_clock::now() + kLongWait;
  while (is_running(inner) && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK_FALSE(is_running(inner));
}

TEST_CASE("only the user can read a private file, and it is deleted with its object") {
  fs::path path;
  {
    const PrivateFile file("key");
    path = file.path();
    CHECK(fs::file_size(path) == 3);
    CHECK(is_private(path));
  }
  CHECK_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
