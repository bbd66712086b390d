#include "server/program/exec/exec.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/platform/folders.h"
#include "base/platform/processes.h"
#include "base/platform/stop_requests.h"
#include "base/printable.h"
#include "base/text.h"
#include "odata/protocol/development_account.h"
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
  TemporaryFolder() : path_(make_temporary_folder("rocktable")) {}
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

// Empty: none is needed.
void use_folder(ExecOptions& options, const std::string& folder) {
  options.folder = folder;
  if (!folder.empty() && options.keeps_nothing) options.server.location = folder;
}

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

// Returns the variables for the command: `NAME=VALUE`, or `NAME` for one to remove, each followed by a NUL. Writes
// certificate files to the folder. Throws std::runtime_error.
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

// Returns the exit code of `rocktable exec` if the server ended in order, with a message of its own.
std::optional<int> code_of_finding(const Ending& server) {
  if (server.by_signal) return std::nullopt;
  const int code = server.number;
  if (code == kExitBudget || code == kExitUnusedFault) return code;
  return code == kExitReport ? std::optional(kExitFailure) : std::nullopt;
}

// The main function of the server process. Tells the parent the environment of the command when clients can connect.
int run_server(ExecOptions& options, ProgramPart& part) {
  detach_from_terminal();
  options.server.stop_at_input_end = part.stops_at_input_end;
  int code = kExitSuccess;
  try {
    serve(
        options.server,
        [&](const StartupReport& report) {
          if (options.dev_storage) check_development_account(report);
          part.to_parent.write_all(environment_of(report, options));
          part.to_parent.close();
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
  explicit Execution(ExecOptions& options) : options_(options) {}

  int run();

 private:
  std::optional<std::string> await_server();
  void start_command(const std::string& environment);
  void await_command();
  void stop_server();
  bool is_repetition() const;
  void note_signal();
  void report_server_end(const char* what) const;

  ExecOptions& options_;
  Children children_;
  Child *server_ = nullptr, *command_ = nullptr;
  int interrupted_ = 0;  // signal that arrived before the start of the command
  std::optional<std::chrono::steady_clock::time_point> signal_at_;  // time of the last signal that is no repetition
};

// Waits for the environment of the command. Returns nullopt if the server ended, or a signal arrived, before
// it was ready.
std::optional<std::string> Execution::await_server() {
  while (!server_->message()) {
    if (children_.next() != Children::Event::Signal) continue;
    note_signal();
    interrupted_ = children_.signal();
    return std::nullopt;
  }
  return server_->message()->empty() ? std::nullopt : server_->message();
}

void Execution::start_command(const std::string& environment) {
  std::vector<ChangedVariable> variables;
  std::string_view rest = environment;
  while (!rest.empty()) {
    const std::string_view pair = rest.substr(0, rest.find('\0'));
    const auto equals = pair.find('=');  // without it the variable is removed
    variables.emplace_back(pair.substr(0, equals),
                           equals == pair.npos ? std::nullopt : std::optional<std::string>(pair.substr(equals + 1)));
    rest.remove_prefix(pair.size() + 1);
  }
  command_ = &children_.start_program(options_.command, variables);
}

// Returns whether a signal that arrives now repeats the previous one (base/platform/stop_requests.h).
bool Execution::is_repetition() const {
  return signal_at_ && std::chrono::steady_clock::now() - *signal_at_ <= kSameRequest;
}

void Execution::note_signal() {
  if (!is_repetition()) signal_at_ = std::chrono::steady_clock::now();
}

void Execution::report_server_end(const char* what) const {
  std::cerr << "rocktable: " << what << " (" << server_->ending()->to_text() << ")\n";
}

void Execution::await_command() {
  while (!command_->ending()) {
    const bool was_running = !server_->ending();
    if (children_.next() == Children::Event::Signal) {
      note_signal();
      children_.forward(*command_);
    }
    if (was_running && server_->ending()) report_server_end("the server ended before the command");
  }
}

// Asks the server to stop. Kills it after kStopTimeout, or on a further signal that is no repetition.
void Execution::stop_server() {
  children_.ask_to_stop(*server_);
  while (!server_->ending()) {
    const auto event = children_.next(kStopTimeout);
    if (event == Children::Event::Timeout || (event == Children::Event::Signal && !is_repetition()))
      children_.kill(*server_);
  }
}

int Execution::run() {
  server_ = &children_.start_part(options_.folder, [this](ProgramPart& part) { return run_server(options_, part); });
  const auto environment = await_server();
  if (interrupted_ != 0) {
    stop_server();
    return exit_code_of_signal(interrupted_);
  }
  if (!environment) {  // the server has printed the reason, unless it crashed
    while (!server_->ending()) children_.next();
    if (server_->ending()->by_signal) report_server_end("the server could not start");
    return kExitFailure;
  }
  start_command(*environment);
  await_command();
  const bool ended_early = server_->ending().has_value();
  stop_server();
  const Ending server = *server_->ending();
  const bool is_good = !server.by_signal && server.number == kExitSuccess;
  const int code = command_->ending()->exit_code();
  if (const auto finding = code_of_finding(server)) return code == kExitSuccess ? *finding : code;
  if (!ended_early && !is_good) report_server_end("the server did not shut down cleanly");
  return code == kExitSuccess && (ended_early || !is_good) ? kExitFailure : code;
}

}  // namespace

int run_exec(int argc, const char* const* argv) {
  std::optional<CommandResult> ending;
  ExecOptions options = read_exec_command_line(argc, argv, ending);
  if (ending) return ending->print();
  if (auto part = ProgramPart::of_this_process()) {
    use_folder(options, part->argument);
    return run_server(options, *part);
  }
  for (const auto& warning : options.server.warnings) spdlog::warn("{}", printable(warning));
  std::optional<TemporaryFolder> folder;
  if (options.server.tls_auto) use_folder(options, folder.emplace().path());
  return Execution(options).run();
}

}  // namespace rocktable
