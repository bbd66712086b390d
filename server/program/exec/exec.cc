#include "server/program/exec/exec.h"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/printable.h"
#include "base/text.h"
#include "odata/protocol/development_account.h"
#include "server/http/stop_signals.h"
#include "server/program/exec/child_process.h"
#include "server/program/exec/exec_options.h"
#include "server/program/exec/trusted_authorities.h"
#include "server/program/start/serve.h"

namespace rocktable {
namespace {

constexpr std::chrono::seconds kStopTimeout{
    30};  // the server gives running requests six seconds, and then closes the store

// --- The server --------------------------------------------------------------------------------------------

// Holds the certificate files for clients of --tls auto, and the authority if no data is kept.
class TemporaryFolder {
 public:
  // Throws std::system_error.
  TemporaryFolder() {
    std::string name = std::filesystem::absolute(std::filesystem::temp_directory_path() / "rocktable-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), "cannot create a folder like " + name);
    path_ = name;
  }
  ~TemporaryFolder() { remove(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string path() const { return path_.string(); }
  static void remove(const std::filesystem::path& path) {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }

 private:
  std::filesystem::path path_;
};

// UseDevelopmentStorage=true implies the well-known account and key. Throws std::runtime_error if the server
// lacks them.
void check_development_account(const StartupReport& report) {
  const Account& first = report.accounts.front();
  const auto& keys = first.keys;
  if (first.name != kDevelopmentAccount || std::find(keys.begin(), keys.end(), kDevelopmentKey) == keys.end())
    throw std::runtime_error(
        "--devStorage needs the account devstoreaccount1 with its well-known key; add it to --accounts or "
        "AZURITE_ACCOUNTS");
}

// The variables that lead the credentials of Azure's libraries to the local identities, in the form of
// environment_of(). Those that would lead them elsewhere are removed, and a client id that is none of these identities.
std::string identity_variables(const IdentityReport& report) {
  std::string out = "IDENTITY_ENDPOINT=" + report.url + report.path;
  out.push_back('\0');
  out.append("IDENTITY_HEADER=" + report.header).push_back('\0');
  for (const char* name :
       {"AZURE_CLIENT_SECRET", "AZURE_CLIENT_CERTIFICATE_PATH", "AZURE_FEDERATED_TOKEN_FILE", "AZURE_TENANT_ID",
        "AZURE_USERNAME", "AZURE_PASSWORD", "AZURE_TOKEN_CREDENTIALS", "AZURE_POD_IDENTITY_AUTHORITY_HOST",
        "IDENTITY_SERVER_THUMBPRINT", "IMDS_ENDPOINT", "MSI_ENDPOINT", "MSI_SECRET"})
    out.append(name).push_back('\0');
  const char* const given = std::getenv("AZURE_CLIENT_ID");
  const auto is_given = [&](const LocalIdentity& one) { return equals_ignoring_case(given, one.app_id); };
  if (given != nullptr && std::none_of(report.identities.begin(), report.identities.end(), is_given))
    out.append("AZURE_CLIENT_ID").push_back('\0');
  return out;
}

// Returns the variables for the command: `NAME=VALUE`, or `NAME` for one to remove, each followed by a NUL. Writes certificate files to
// the folder. Throws std::runtime_error.
std::string environment_of(const StartupReport& report, const ExecOptions& options) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    out.append(name).append("=").append(value).push_back('\0');
  };
  const Account& account = report.accounts.front();
  const std::string connection = connection_string(report, account);
  add("AZURE_STORAGE_CONNECTION_STRING", connection);
  add("AZURE_TABLES_CONNECTION_STRING", connection);
  add("ROCKTABLE_ENDPOINT", endpoint_of(report, account));
  add("ROCKTABLE_URL", url_of(report));
  add("ROCKTABLE_PORT", std::to_string(report.table.port));
  add("ROCKTABLE_YES", "1");  // the instance belongs to the command: no confirmation
  if (!options.server.control_token.empty()) add("ROCKTABLE_CONTROL_TOKEN", options.server.control_token);
  if (!report.certificate_authority.empty()) {
    const auto authority = std::filesystem::absolute(report.certificate_authority);
    add("ROCKTABLE_CA_FILE", authority.string());
    const Trust trust = add_trusted_authority(authority, options.folder, TrustSources::of_this_process());
    for (const auto& warning : trust.warnings) spdlog::warn("{}", printable(warning));
    for (const auto& [name, value] : trust.variables) add(name, value);
  }
  if (report.identity) out += identity_variables(*report.identity);
  for (const auto& name : options.exports) add(name, connection);
  return out;
}

// Detaches the server from the terminal and from standard output, so that a reader of the command's output
// does not wait for the server to end.
void detach_from_terminal() {
  setsid();
  const Descriptor nothing(open("/dev/null", O_RDWR | O_CLOEXEC));
  dup2(nothing.get(), STDIN_FILENO);
  dup2(nothing.get(), STDOUT_FILENO);
}

// Returns the exit code of `rocktable exec` if the server ended in order, with a message of its own.
std::optional<int> code_of_finding(int server_status) {
  if (!WIFEXITED(server_status)) return std::nullopt;
  const int code = WEXITSTATUS(server_status);
  if (code == kExitBudget || code == kExitUnusedFault) return code;
  return code == kExitReport ? std::optional(kExitFailure) : std::nullopt;
}

// The main function of the server process. Writes the environment of the command to `ready` when clients can
// connect.
int run_server(const ExecOptions& options, Descriptor& ready) {
  detach_from_terminal();
  int code = kExitSuccess;
  try {
    serve(
        options.server,
        [&](const StartupReport& report) {
          if (options.dev_storage) check_development_account(report);
          write_all(ready, environment_of(report, options));
          ready.close();
        },
        [&](const ShutdownReport& report) {
          code = report_unused_faults(report, options.server.strict_faults);
          if (!options.report) return;
          const int gate = options.report->finish(report.queries);
          if (gate != kExitSuccess) code = gate;
        });
  } catch (const std::exception& error) {
    std::cerr << "rocktable: " << printable(error.what()) << '\n';
    code = kExitFailure;
  }
  // The parent removes it, too, unless it was killed.
  if (!options.folder.empty()) TemporaryFolder::remove(options.folder);
  return code;
}

// --- Both processes ----------------------------------------------------------------------------------------

class Execution {
 public:
  explicit Execution(const ExecOptions& options) : options_(options) {}

  int run();

 private:
  void start_server();
  std::optional<std::string> await_server();
  void start_command(const std::string& environment);
  void await_command();
  void stop_server();
  void reap();
  bool is_repetition() const;
  void note_signal();
  void forward(const signalfd_siginfo& signal) const;
  void report_server_end(const char* what) const;

  const ExecOptions& options_;
  BlockedSignals signals_;
  Pipe ready_ = Pipe::make();
  pid_t server_ = 0, command_ = 0;
  std::optional<int> server_status_, command_status_;  // from waitpid(), after the end
  int interrupted_ = 0;                                // signal that arrived before the start of the command
  std::optional<std::chrono::steady_clock::time_point> signal_at_;  // time of the last signal that is no repetition
};

void Execution::start_server() {
  server_ = start_child(signals_, [this] {
    ready_.read.close();
    return run_server(options_, ready_.write);
  });
  ready_.write.close();
}

// Waits for the environment of the command. Returns nullopt if the server ended, or a signal arrived, before
// it was ready.
std::optional<std::string> Execution::await_server() {
  std::string text;
  for (;;) {
    pollfd waiting[] = {{ready_.read.get(), POLLIN, 0}, {signals_.descriptor(), POLLIN, 0}};
    if (poll(waiting, 2, -1) < 0) continue;
    if (waiting[1].revents != 0) {
      const auto signal = signals_.next();
      if (!signal || signal->ssi_signo == SIGCHLD) continue;  // if the server ended, the pipe ends, too
      note_signal();
      interrupted_ = static_cast<int>(signal->ssi_signo);
      return std::nullopt;
    }
    char bytes[4096];
    const ssize_t count = read(ready_.read.get(), bytes, sizeof bytes);
    if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
    if (count == 0) return text.empty() ? std::nullopt : std::optional(text);
  }
}

void Execution::start_command(const std::string& environment) {
  command_ = start_child(signals_, [&] {
    std::string text = environment;
    for (char* pair = text.data(); pair < text.data() + text.size(); pair += std::strlen(pair) + 1)
      putenv(pair);  // without `=` it removes
    return exec_program(options_.command);
  });
}

// Reaps all children. As process 1 of a container, this process also inherits orphans.
void Execution::reap() {
  int status = 0;
  while (const pid_t ended = waitpid(-1, &status, WNOHANG)) {
    if (ended < 0) return;
    if (ended == command_) command_status_ = status;
    if (ended == server_) server_status_ = status;
  }
}

// Returns whether a signal that arrives now repeats the previous one (server/http/stop_signals.h).
bool Execution::is_repetition() const {
  return signal_at_ && std::chrono::steady_clock::now() - *signal_at_ <= kSameRequest;
}

void Execution::note_signal() {
  if (!is_repetition()) signal_at_ = std::chrono::steady_clock::now();
}

void Execution::forward(const signalfd_siginfo& signal) const {
  if (!is_from_terminal(signal)) kill(command_, static_cast<int>(signal.ssi_signo));
}

void Execution::report_server_end(const char* what) const {
  const int status = *server_status_;
  const std::string how = WIFSIGNALED(status) ? std::string("by signal: ") + strsignal(WTERMSIG(status))
                                              : "with exit code " + std::to_string(WEXITSTATUS(status));
  std::cerr << "rocktable: " << what << ", " << how << '\n';
}

void Execution::await_command() {
  while (!command_status_) {
    const auto signal = signals_.next();
    if (!signal) continue;
    if (signal->ssi_signo != SIGCHLD) {
      note_signal();
      forward(*signal);
      continue;
    }
    const bool was_running = !server_status_;
    reap();
    if (was_running && server_status_) report_server_end("the server ended before the command");
  }
}

// Stops the server by SIGTERM. Kills it after kStopTimeout, or on a further signal that is no repetition.
void Execution::stop_server() {
  if (!server_status_) kill(server_, SIGTERM);
  for (reap(); !server_status_; reap()) {
    const auto signal = signals_.next(kStopTimeout);
    if (!signal || (signal->ssi_signo != SIGCHLD && !is_repetition())) kill(server_, SIGKILL);
  }
}

int Execution::run() {
  start_server();
  const auto environment = await_server();
  if (interrupted_ != 0) {
    stop_server();
    return exit_code_of(interrupted_);
  }
  if (!environment) {  // the server has printed the reason, unless it crashed
    waitpid(server_, &server_status_.emplace(), 0);
    if (WIFSIGNALED(*server_status_)) report_server_end("the server could not start");
    return kExitFailure;
  }
  start_command(*environment);
  await_command();
  const bool ended_early = server_status_.has_value();
  stop_server();
  const int code = exit_code_of(*command_status_);
  if (const auto finding = code_of_finding(*server_status_)) return code == kExitSuccess ? *finding : code;
  if (!ended_early && *server_status_ != 0) report_server_end("the server did not shut down cleanly");
  return code == kExitSuccess && (ended_early || *server_status_ != 0) ? kExitFailure : code;
}

}  // namespace

int run_exec(int argc, const char* const* argv) {
  std::optional<CommandResult> ending;
  ExecOptions options = read_exec_command_line(argc, argv, ending);
  if (ending) return ending->print();
  for (const auto& warning : options.server.warnings) spdlog::warn("{}", printable(warning));
  std::optional<TemporaryFolder> folder;
  if (options.server.tls_auto) {
    options.folder = folder.emplace().path();
    if (options.keeps_nothing) options.server.location = options.folder;
  }
  return Execution(options).run();
}

}  // namespace rocktable
