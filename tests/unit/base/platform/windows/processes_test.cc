// Child processes and command lines of Windows; tests/windows has those of `rocktable exec`.
#include "base/platform/processes.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "base/platform/input_end.h"
#include "base/platform/listening_sockets.h"
#include "base/platform/local_time.h"
#include "base/platform/own_process.h"
#include "base/platform/stop_requests.h"
#include "base/platform/windows/system/command_line.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

namespace fs = std::filesystem;

using Variables = std::vector<ChangedVariable>;

Ending ending_of(const std::vector<const char*>& words, const Variables& variables = {}) {
  std::vector<const char*> argv = words;
  argv.push_back(nullptr);
  Children children;
  const Child& child = children.start_program(argv.data(), variables);
  while (!child.ending()) children.next();
  return *child.ending();
}

// What a batch file prints, which gets the arguments.
std::string told_by_batch_file(const std::string& code, const std::vector<std::string>& arguments,
                               const Variables& variables = {}) {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "with blanks.cmd", out = folder.path() / "out";
  std::ofstream(file, std::ios::binary) << "@echo off\r\n" + code + " >\"" + out.string() + "\"\r\n";
  const std::string name = file.string();
  std::vector<const char*> words{name.c_str()};
  for (const auto& argument : arguments) words.push_back(argument.c_str());
  CHECK(ending_of(words, variables).number == 0);
  std::ifstream in(out, std::ios::binary);
  std::string text(std::istreambuf_iterator<char>(in), {});
  text.resize(text.find_last_not_of(" \r\n") + 1);
  return text;
}

}  // namespace

TEST_CASE("the exit code of a program is that of the child, also above 255") {
  CHECK(ending_of({"cmd", "/d", "/c", "exit 7"}).number == 7);
  const Ending crash = ending_of({"cmd.exe", "/d", "/c", "exit -1073741819"});
  CHECK(crash.to_text() == "exit code 0xC0000005");
  CHECK(Ending{7, false}.to_text() == "exit code 7");
}

TEST_CASE("a program that is not there ends with 127") { CHECK(ending_of({"no-such-program"}).number == 127); }

TEST_CASE("batch files get their arguments unchanged") {
  CHECK(told_by_batch_file("echo [%~1][%~2]", {"a b", "x,y=z;w"}) == "[a b][x,y=z;w]");
  // The shell of Wine expands variables even so.
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "one.cmd").string();
  std::ofstream(file) << "exit 0\r\n";
  const char* const argv[] = {file.c_str(), "50% \"x\"\\", nullptr};
  const auto command = find_command_line(argv);
  REQUIRE(command);
  CHECK(command->line.ends_with(L"one.cmd\" \"50%%cd:~,% \"\"x\"\"\\\\\"\""));
  const char* const lines[] = {file.c_str(), "a\nb", nullptr};
  CHECK_THROWS_AS(find_command_line(lines), std::runtime_error);
}

TEST_CASE("variables replace others of the same name in any case") {
  CHECK(told_by_batch_file("echo %path%", {}, {{"Path", "here"}}) == "here");
  const std::wstring block = environment_with({{"pATH", "x"}, {"New_One", "\xC3\xBC"}});
  CHECK(block.find(std::wstring(L"pATH=x") + L'\0') != block.npos);
  CHECK(block.find(L"New_One=\u00fc") != block.npos);
  CHECK(block.ends_with(std::wstring(2, L'\0')));
}

TEST_CASE("arguments are quoted as programs read them") {
  const char* const argv[] = {"cmd.exe", "plain", "", "a b", "a\"b", "c:\\x y\\", nullptr};
  const auto command = find_command_line(argv);
  REQUIRE(command);
  CHECK(command->line == L"cmd.exe plain \"\" \"a b\" \"a\\\"b\" \"c:\\x y\\\\\"");
}

TEST_CASE("a child that is killed has ended, and a timeout ends a wait") {
  Children children;
  const char* const argv[] = {"cmd", "/d", "/c", "pause", nullptr};
  Child& child = children.start_program(argv, {});
  if (!child.ending()) CHECK(children.next(std::chrono::milliseconds(1)) != Children::Event::Message);
  children.kill(child);
  while (!child.ending()) children.next();
  CHECK(child.ending()->number != 0);
}

TEST_CASE("this process is known, and others are not") {
  CHECK(is_running(process_id()));
  CHECK_FALSE(is_running(4'000'000));
  CHECK_FALSE(host_name().empty());
}

TEST_CASE("a time has the offset of its zone as digits") {
  const std::string text = local_time_of_log(1'700'000'000);
  CHECK(text.size() == std::string("14/Nov/2023:22:13:20 +0000").size());
  CHECK((text[21] == '+' || text[21] == '-'));
  CHECK(to_utc(1'700'000'000).tm_hour == 22);
}

TEST_CASE("no request to stop has come") {
  const StopRequests requests;
  CHECK_FALSE(requests.is_asked());
}

TEST_CASE("waiting for the end of input can end, and the threads of this process destroy what they have") {
  struct Counted {
    explicit Counted(int& total) : count(&total) {}
    ~Counted() { ++*count; }
    int* count;
  };
  int destroyed = 0;
  for (int i = 0; i < 20; ++i) {
    std::thread([&] {
      thread_local const std::string kMemory(100, 'x');
      thread_local const Counted kCounted(destroyed);
      CHECK(kMemory.size() == 100);
    }).join();
  }
  CHECK(destroyed == 20);
  const InputEnd end([] {});
}

}  // namespace rocktable::TEST_FILE
