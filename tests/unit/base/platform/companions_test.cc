// Programs beside this one. The program of the tests is started as one, and does a part of act().
#include "base/platform/companions.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "base/platform/file.h"
#include "base/platform/own_process.h"
#include "base/platform/stop_requests.h"
#include "tests/unit/support/acting_companion.h"

namespace rocktable::TEST_FILE {
namespace {

constexpr int kManyLines = 40'000;  // more than pipes take
constexpr const char* kLine = "a line of an access log that nobody asked for\n";

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "none";
}

void say(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

[[noreturn]] void stay() {
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

// Returns the exit code.
int act(const std::string& part) {
  if (part == "fail") {
    say("first\n");
    std::fputs("the reason\n", stderr);
    return 3;
  }
  if (part == "print much") {
    for (int i = 0; i < kManyLines; ++i) say(kLine);
    return 0;
  }
  if (part == "tell variables") {
    say(value_of("GIVEN") + " " + value_of("PATH") + "\n");
    return 0;
  }
  if (part == "read files") {
    for (const char* variable : {"FIRST", "SECOND"}) {
      const File file = File::open(value_of(variable), OpenMode::Read);
      std::string contents(1 << 20, ' ');
      contents.resize(file.is_open() ? file.read(contents.data(), contents.size()).value_or(0) : 0);
      say("<" + contents + ">");
    }
    return 0;
  }
  if (part == "read input") return std::getchar() == EOF ? 0 : 1;
  const StopRequests requests;
  say("process " + std::to_string(process_id()) + ".\n");
  if (part == "stop in order") {
    while (!requests.is_asked()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    say("stopped in order\n");
    return 0;
  }
  if (part == "start another") {
    Companion inner(acting_companion("ignore requests"));
    std::string printed;
    read_until(inner, printed, ".\n");
    say("inner " + printed);
    stay();
  }
  stay();
}

TEST_CASE("this process acts as a companion" * doctest::skip()) {
  if (const char* const part = std::getenv(kPartVariable); part != nullptr) {
    const int code = act(part);
    std::fflush(nullptr);
    std::_Exit(code);
  }
}

std::string told_by_part(const std::string& part) {
  Companion companion(acting_companion(part));
  return told_by(companion);
}

TEST_CASE("what a companion prints on both outputs is read, and how it ends") {
  const std::string told = told_by_part("fail");
  CHECK(told.find("first\n") != told.npos);
  CHECK(told.find("the reason\n") != told.npos);
  CHECK(told.ends_with("exit code 3"));
  const std::string much = told_by_part("print much");
  CHECK(much.size() == kManyLines * std::string(kLine).size() + std::string("exit code 0").size());
  CHECK(much.ends_with("\nexit code 0"));
}

TEST_CASE("the input of a companion is empty") { CHECK(told_by_part("read input") == "exit code 0"); }

TEST_CASE("a companion that cannot be executed says why, and ends with 127") {
  Companion companion({.words = {"/nowhere/program"}, .variables = {}, .files = {}});
  const std::string told = told_by(companion);
  CHECK(told.ends_with("exit code 127"));
  CHECK(told.size() > std::string("exit code 127").size());
  companion.ask_to_stop();  // no process gets this
}

TEST_CASE("a companion has the variables of this process, changed as given") {
  CHECK(value_of("PATH") != "none");
  CompanionStart start = acting_companion("tell variables");
  start.variables.emplace_back("GIVEN", "a=b; c");
  Companion one(start);
  CHECK(told_by(one) == "a=b; c " + value_of("PATH") + "\nexit code 0");
  start.variables.emplace_back("PATH", std::nullopt);
  Companion two(start);
  CHECK(told_by(two) == "a=b; c none\nexit code 0");
}

TEST_CASE("several companions read the same private files") {
  const std::string long_text(100'000, 'x');
  const PrivateFile first(long_text), second("key\nand more\n");
  CompanionStart start = acting_companion("read files");
  start.variables.emplace_back("FIRST", first.path());
  start.variables.emplace_back("SECOND", second.path());
  start.files = {&second, &first};
  for (int i = 0; i < 2; ++i) {
    Companion companion(start);
    std::string printed;
    CHECK(read_until(companion, printed, "<key\n"));
    CHECK(printed.find("<" + long_text + ">") != printed.npos);
  }
}

TEST_CASE("a companion without the files of another cannot open them") {
  const PrivateFile file("secret");
  CompanionStart start = acting_companion("read files");
  start.variables.emplace_back("FIRST", file.path());
  if (file.path().starts_with("/proc/")) {
    Companion companion(start);
    CHECK(told_by(companion) == "<><>exit code 0");
  }
}

TEST_CASE("a companion that is asked to stop does so in order") {
  if (!can_ask_to_stop()) return;
  Companion companion(acting_companion("stop in order"));
  std::string printed;
  REQUIRE(read_until(companion, printed, ".\n"));
  CHECK_FALSE(companion.await_end(std::chrono::milliseconds(0)));
  companion.ask_to_stop();
  CHECK(told_by(companion) == "stopped in order\nexit code 0");
  companion.ask_to_stop();  // has no effect
}

TEST_CASE("a companion that does not stop is killed when its object ends") {
  if (!can_ask_to_stop()) return;
  std::string printed;
  {
    Companion companion(acting_companion("ignore requests"));
    REQUIRE(read_until(companion, printed, ".\n"));
    companion.ask_to_stop();
    CHECK_FALSE(companion.await_end(std::chrono::milliseconds(50)));
  }
  const std::size_t number = printed.find("process ") + std::string("process ").size();
  CHECK_FALSE(is_running(std::stoll(printed.substr(number))));
}

TEST_CASE("waiting for output ends with its time, or when another thread says so") {
  Companion companion(acting_companion("ignore requests"));
  std::string printed;
  REQUIRE(read_until(companion, printed, ".\n"));
  std::string more;
  CHECK(companion.await_output(more, std::chrono::milliseconds(1)) == Companion::Output::None);
  std::thread other([&] { CHECK(companion.await_output(more) == Companion::Output::None); });
  companion.interrupt();
  other.join();
  CHECK(companion.await_output(more) == Companion::Output::None);
  CHECK(more.empty());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
