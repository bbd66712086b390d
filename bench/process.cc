// Child processes: starting, stopping, memory from /proc.
#include "bench/process.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fstream>

namespace rocktable {
namespace {

std::string proc_file(pid_t process, const char* name) { return "/proc/" + std::to_string(process) + "/" + name; }

long status_field(pid_t process, const std::string& name) {
  std::ifstream file(proc_file(process, "status"));
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name + ":")) return std::stol(line.substr(name.size() + 1));
  return 0;
}

}  // namespace

void pin_to_one_core(bool one_core) {
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

Process::Process(const std::string& command) {
  const std::string words = "exec " + command;
  process_ = fork();
  if (process_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGTERM);  // stop the server if the benchmark is killed
  setpgid(0, 0);                     // an interrupt goes only to the benchmark, which stops its servers
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", words.c_str(), nullptr);
  _exit(127);
}

Process::~Process() { stop(); }

bool Process::is_running() {
  if (process_ > 0 && waitpid(process_, nullptr, WNOHANG) == process_) process_ = -1;
  return process_ > 0;
}

void Process::stop() {
  if (process_ <= 0) return;
  kill(process_, SIGTERM);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

long Process::resident() const { return status_field(process_, "VmRSS"); }
long Process::peak() const { return status_field(process_, "VmHWM"); }
void Process::reset_peak() const { std::ofstream(proc_file(process_, "clear_refs")) << "5"; }

std::uint16_t free_port() {
  boost::asio::io_context context;
  const boost::asio::ip::tcp::acceptor acceptor(context, {boost::asio::ip::address_v4::loopback(), 0});
  return acceptor.local_endpoint().port();
}

}  // namespace rocktable
