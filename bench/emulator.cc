#include "bench/emulator.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <thread>

namespace rocktable {
namespace {

constexpr auto kStartDeadline = std::chrono::seconds(60);

std::string proc_file(pid_t process, const char* name) {
  return "/proc/" + std::to_string(process) + "/" + name;
}

long status_field(pid_t process, const std::string& name) {
  std::ifstream file(proc_file(process, "status"));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  return 0;
}

}  // namespace

void stay_on_one_core(bool one_core) {
  static const cpu_set_t kAll = [] {
    cpu_set_t set;
    sched_getaffinity(0, sizeof set, &set);
    return set;
  }();
  cpu_set_t set = kAll;
  if (one_core) {
    int core = 0;
    while (!CPU_ISSET(core, &kAll)) ++core;
    CPU_ZERO(&set);
    CPU_SET(core, &set);
  }
  sched_setaffinity(0, sizeof set, &set);
}

Emulator::Emulator(const std::filesystem::path& program, const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::string ready_file = folder / "ready.json";
  std::filesystem::remove(ready_file);
  process_ = fork();
  if (process_ == 0) {
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    execl(program.c_str(), program.c_str(), "--silent", "--location", folder.c_str(), "--tablePort", "0",
          "--readyFile", ready_file.c_str(), nullptr);
    _exit(127);
  }
  const auto deadline = std::chrono::steady_clock::now() + kStartDeadline;
  while (!std::filesystem::exists(ready_file)) {
    if (waitpid(process_, nullptr, WNOHANG) == process_ || std::chrono::steady_clock::now() > deadline)
      throw std::runtime_error(program.string() + " does not start");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::ifstream file(ready_file);
  port_ = nlohmann::json::parse(file).at("port").get<std::uint16_t>();
}

Emulator::~Emulator() {
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
}

long Emulator::resident() const { return status_field(process_, "VmRSS"); }
long Emulator::peak() const { return status_field(process_, "VmHWM"); }
void Emulator::reset_peak() const { std::ofstream(proc_file(process_, "clear_refs")) << "5"; }

}  // namespace rocktable
