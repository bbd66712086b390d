#include "base/platform/own_process.h"

#include <nss.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

namespace rocktable {
namespace {

// A static program must not load the system's modules for names of hosts and users: they need the glibc that they were
// built with. libpq asks for the user's name.
void resolve_names_without_modules() {
#ifdef ROCKTABLE_PORTABLE
  __nss_configure_lookup("hosts", "files dns");
  __nss_configure_lookup("passwd", "files");
#endif
}

}  // namespace

void prepare_process(int& /*argc*/, char**& /*argv*/) {
  resolve_names_without_modules();
  signal(SIGPIPE, SIG_IGN);
}

std::vector<std::string> environment_names() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    out.emplace_back(text.substr(0, text.find('=')));
  }
  return out;
}

std::int64_t process_id() { return getpid(); }

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

bool is_running(std::int64_t process) { return kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH; }

}  // namespace rocktable
