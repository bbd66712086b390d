#include "server/program/open_command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "client/command_line/command_line.h"
#include "client/command_line/command_output.h"
#include "client/command_line/control_flags.h"
#include "client/control/control_target.h"
#include "client/http_client.h"

namespace rocktable {
namespace {

constexpr std::chrono::seconds kTimeout{3};
constexpr std::chrono::seconds kTimeToFail{1};  // a browser that runs longer has started
constexpr std::chrono::milliseconds kPoll{20};

// Throws std::runtime_error if the instance does not serve the page.
void check(const HttpUrl& origin, const std::string& ca_file) {
  HttpClient client(origin,
                    {.certificate_authority_file = ca_file, .connect_timeout = kTimeout, .answer_timeout = kTimeout});
  const HttpResponse page = client.send({"GET", "/_rocktable/", {}, {}});
  if (page.status == 200) return;
  const auto begin = page.body.find("<p>"), end = page.body.find("</p>");
  const bool says_why = begin != page.body.npos && end != page.body.npos && page.status != 404 &&
                        page.body.find("explorer") != page.body.npos;
  throw std::runtime_error(origin.origin() + " has no explorer: " +
                           (says_why ? page.body.substr(begin + 3, end - begin - 3)
                                     : "it is no rocktable, an older one, or runs with --noExplorer"));
}

// The programs that open an address: what the user chose, then those of desktops, WSL and macOS.
std::vector<std::string> browsers() {
  std::vector<std::string> out;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): this program does not change its environment here
  if (const char* const chosen = std::getenv("BROWSER"); chosen != nullptr && *chosen != '\0') out.emplace_back(chosen);
  for (const char* name : {"xdg-open", "sensible-browser", "wslview", "open"}) out.emplace_back(name);
  return out;
}

// Starts a program in a session of its own, without our input and output. Returns whether it started, and did not fail
// at once.
bool start(const std::string& program, const std::string& address) {
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

bool open_in_browser(const std::string& address) {
  for (const std::string& program : browsers())
    if (start(program, address)) return true;
  return false;
}

}  // namespace

int run_open(int argc, const char* const* argv) {
  CLI::App app("Shows tables, requests and their costs in the browser.", "rocktable open");
  ControlTargetOptions options;
  add_target_options(app, options);
  CommandOutput output;
  output.add_flag(app);
  app.footer(std::string("\n") + kAboutTargets +
             "The browser is that of the variable BROWSER, or of the desktop.\n"
             "Exit codes: 0 opened, 1 no such instance or no browser, 2 wrong usage.");
  return run_command(app, argc, argv, output, [&] {
    const HttpUrl origin = resolve_control_target(options.connection).origin;
    check(origin, options.ca_file);
    const std::string address = origin.origin() + "/_rocktable/";
    if (!open_in_browser(address)) throw std::runtime_error("no browser could be started; open " + address);
    output.print_line("rocktable: opened " + address);
    output.print_document({{"address", address}, {"status", "opened"}});
    return kExitSuccess;
  });
}

}  // namespace rocktable
