#include "base/platform/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

namespace rocktable {
namespace {

constexpr std::chrono::seconds kTimeToFail{1};  // a browser that runs longer has started
constexpr std::chrono::milliseconds kPoll{20};

// Starts a program in a session of its own, without our input and output. Returns whether it started, and did not fail
// at once.
bool start_detached(const std::string& program, const std::string& address) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int descriptor : {0, 1, 2}) posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string name = program, argument = address;
  char* arguments[] = {name.data(), argument.data(), nullptr};
  pid_t child = 0;
  const int error = posix_spawnp(&child, program.c_str(), &actions, &attributes, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return false;
  const auto deadline = std::chrono::steady_clock::now() + kTimeToFail;
  while (std::chrono::steady_clock::now() < deadline) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    std::this_thread::sleep_for(kPoll);
  }
  return true;
}

}  // namespace

// The programs that open an address: what the user chose, then those of desktops, WSL and macOS.
bool open_in_browser(const std::string& address, const std::string& chosen) {
  if (!chosen.empty() && start_detached(chosen, address)) return true;
  for (const char* name : {"xdg-open", "sensible-browser", "wslview", "open"})
    if (start_detached(name, address)) return true;
  return false;
}

}  // namespace rocktable
