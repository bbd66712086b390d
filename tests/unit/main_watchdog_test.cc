// The watchdog of the unit tests themselves (main.cc).
#include <doctest/doctest.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

namespace rocktable::TEST_FILE {
namespace {

constexpr char kName[] = "a test that hangs ends the run with its name";

// It runs itself in another process, where it does hang.
TEST_CASE("a test that hangs ends the run with its name") {
  if (::getenv("ROCKTABLE_TEST_HANGS") != nullptr)
    for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string command =
      "ROCKTABLE_TEST_HANGS=1 ROCKTABLE_TEST_CASE_SECONDS=1 '" + program + "' --test-case='" + kName + "' 2>&1";
  FILE* output = ::popen(command.c_str(), "r");
  REQUIRE(output != nullptr);
  std::string text;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = ::fread(buffer.data(), 1, buffer.size(), output)) > 0;)
    text.append(buffer.data(), count);
  const int status = ::pclose(output);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 3);
  CHECK(text.find(std::string("the test \"") + kName + "\"") != std::string::npos);
  CHECK(text.find("main_watchdog_test.cc") != std::string::npos);
  CHECK(text.find("longer than 1 s") != std::string::npos);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
