#include "server/program/beside/azurite.h"

#include <spdlog/spdlog.h>

#include <boost/asio/ip/address.hpp>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/platform/own_process.h"
#include "base/printable.h"
#include "server/http/port_holder.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr std::chrono::seconds kStartTimeout{60};  // Node takes some three seconds, on a busy machine more
constexpr std::chrono::seconds kAzuriteStopTimeout{5};
constexpr milliseconds kStopCheck{100};
constexpr milliseconds kEndOfOutput{1000};  // a program that prints no more has ended, or will at once

constexpr std::size_t kMaxPrinted = 4096;

// A module of Node. Azurite stops in order at SIGTERM, which not all systems send, once it has started.
std::string stop_in_order() {
  return "process.once('" + std::string(kStopSignal) + "', () => process.emit('SIGTERM') || process.exit(1));\n";
}

std::string program_of(const AzuriteService& service) { return std::string("azurite-") + service.name; }

std::string value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// The last line that is not blank.
std::string last_line(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t end = text.find_last_not_of(kBlanks);
  if (end == std::string::npos) return "";
  const std::size_t before = text.rfind('\n', end);
  const std::size_t begin = text.find_first_not_of(kBlanks, before == std::string::npos ? 0 : before);
  return text.substr(begin, end + 1 - begin);
}

// NAME:KEY[:KEY];..., as Azurite reads it.
std::string accounts_text(const std::vector<Account>& accounts) {
  std::string out;
  for (const auto& account : accounts) {
    out += account.name;
    for (const auto& key : account.keys) out += ":" + key;
    out += ";";
  }
  out.pop_back();
  return out;
}

// Variables of Azurite would choose other accounts, or a database.
std::vector<ChangedVariable> azurite_variables(const std::vector<Account>& accounts) {
  std::vector<ChangedVariable> out;
  for (const auto& name : environment_names())
    if (name.starts_with("AZURITE_") && name != "AZURITE_ACCOUNTS") out.emplace_back(name, std::nullopt);
  out.emplace_back("AZURITE_ACCOUNTS", accounts_text(accounts));
  return out;
}

std::vector<std::string> azurite_words(const AzuriteService& service, const fs::path& program,
                                       const AzuriteOptions& options) {
  const std::string name = service.name;
  std::vector<std::string> out{program.string(), "--silent", "--skipApiVersionCheck", "--disableTelemetry"};
  const auto add = [&](std::initializer_list<std::string> words) { out.insert(out.end(), words.begin(), words.end()); };
  add({"--" + name + "Port", std::to_string(service.port)});
  if (!service.host.empty()) add({"--" + name + "Host", service.host});
  if (options.folder.empty()) {
    add({"--inMemoryPersistence"});
  } else {
    add({"--location", options.folder});
  }
  return out;
}

// The sentence about a port that is taken, if that is why the service did not start.
std::optional<std::string> about_port(const AzuriteService& service, const std::string& output) {
  if (output.find("EADDRINUSE") == std::string::npos) return std::nullopt;
  boost::system::error_code not_an_address;
  auto address = boost::asio::ip::make_address(service.host, not_an_address);
  if (not_an_address) address = boost::asio::ip::address_v4::loopback();
  const std::string advice =
      service.advice.empty() ? std::string("--") + service.name + "Port 0 picks a free one" : service.advice;
  return taken_port_message({address, service.port}, advice);
}

// Adds to the text what the companion prints, and keeps the end of it.
Companion::Output read_output(Companion& companion, std::string& printed, std::optional<milliseconds> timeout) {
  const auto out = companion.await_output(printed, timeout);
  if (printed.size() > kMaxPrinted) printed.erase(0, printed.size() - kMaxPrinted);
  return out;
}

// Lets Node run the file before Azurite. It reads the variable as shells on POSIX: backslashes are removed.
void add_stop_in_order(const PrivateFile& file, std::vector<ChangedVariable>& variables) {
  const std::string before = value_of("NODE_OPTIONS");
  variables.emplace_back("NODE_OPTIONS", before + (before.empty() ? "" : " ") + "--require \"" +
                                             fs::path(file.path()).generic_string() + "\"");
}

}  // namespace

std::optional<fs::path> find_azurite(const std::string& name, fs::path folder, const std::string& path) {
  const std::string program = "azurite-" + name;
  for (;; folder = folder.parent_path()) {
    if (const auto local = program_at(folder / "node_modules/.bin" / program)) return local;
    if (folder == folder.parent_path()) break;
  }
  for (const auto& in : folders_in(path))
    if (const auto found = program_at(in / program)) return fs::absolute(*found);
  return std::nullopt;
}

std::optional<AzuriteAddress> azurite_address(const std::string& printed) {
  constexpr std::string_view kBefore = "successfully listens on http";
  const std::size_t found = printed.find(kBefore);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t host = printed.find("://", found);
  const std::size_t end = printed.find('\n', found);
  if (end == std::string::npos || host > end) return std::nullopt;
  std::string authority = printed.substr(host + 3, end - host - 3);
  if (authority.ends_with('\r')) authority.pop_back();
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  AzuriteAddress out{authority.substr(0, colon), 0};
  if (out.host.find(':') != std::string::npos) out.host = "[" + out.host + "]";  // Azurite prints ::1 bare
  const auto port = parse_int32(authority.substr(colon + 1));
  if (!port || *port <= 0 || *port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  out.port = static_cast<std::uint16_t>(*port);
  return out;
}

Azurite::Azurite(const AzuriteOptions& options) {
  std::vector<fs::path> programs;
  for (const auto& service : options.services) {
    const auto program = find_azurite(service.name, fs::current_path(), value_of("PATH"));
    if (!program)
      throw CompanionError("--with azurite needs the program " + program_of(service) +
                           ", which is neither in PATH nor in node_modules/.bin: npm install --global azurite");
    programs.push_back(*program);
  }
  if (!options.folder.empty()) fs::create_directories(options.folder);
  auto variables = azurite_variables(options.accounts);
  std::vector<std::string> further;
  if (kStopSignal != "SIGTERM") add_stop_in_order(files_.emplace_back(stop_in_order()), variables);
  if (!options.certificates.empty()) {
    further = {"--cert", files_.emplace_back(options.certificates).path()};
    further.insert(further.end(), {"--key", files_.emplace_back(options.key).path()});
    if (options.bearer_tokens) further.insert(further.end(), {"--oauth", "basic"});
  }
  for (std::size_t i = 0; i < programs.size(); ++i) {
    CompanionStart start{
        .words = azurite_words(options.services.at(i), programs[i], options), .variables = variables, .files = {}};
    start.words.insert(start.words.end(), further.begin(), further.end());
    for (const auto& file : files_) start.files.push_back(&file);
    running_.push_back({.service = options.services.at(i), .companion = std::make_unique<Companion>(start)});
  }
}

Azurite::~Azurite() {
  for (auto& running : running_) {
    running.companion->interrupt();
    if (running.watcher.joinable()) running.watcher.join();
  }
  for (const auto& running : running_) running.companion->ask_to_stop();
  const auto end = std::chrono::steady_clock::now() + kAzuriteStopTimeout;
  for (const auto& running : running_)
    running.companion->await_end(std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now()));
}

void Azurite::fail_to_start(Running& running) {
  const auto how = running.companion->await_end(kAzuriteStopTimeout);
  if (const auto port = about_port(running.service, running.printed)) throw CompanionError(*port);
  const std::string said = last_line(running.printed);
  throw CompanionError(program_of(running.service) + " did not start" + (how ? " (" + how->to_text() + ")" : "") +
                       (said.empty() ? "" : ": " + said));
}

void Azurite::await_ready(const std::function<bool()>& must_stop) {
  const auto end = std::chrono::steady_clock::now() + kStartTimeout;
  for (auto& running : running_) {
    for (;;) {
      if (const auto address = azurite_address(running.printed)) {
        running.address = *address;
        break;
      }
      if (must_stop()) throw CompanionError("stopped before Azurite answered");
      if (std::chrono::steady_clock::now() >= end)
        throw CompanionError(program_of(running.service) + " does not answer");
      if (read_output(*running.companion, running.printed, kStopCheck) == Companion::Output::End)
        fail_to_start(running);
    }
  }
  files_.clear();
  for (auto& running : running_) running.watcher = std::thread([&running] { watch(running); });
}

// Reads what the companion prints, so that it does not wait for a reader. Tells when it ends; the tables do not need
// it, so the server goes on.
void Azurite::watch(Running& running) {
  for (;;) {
    const auto output = read_output(*running.companion, running.printed, std::nullopt);
    if (output == Companion::Output::None) return;  // interrupted
    if (output == Companion::Output::End) break;
  }
  const auto how = running.companion->await_end(kEndOfOutput);
  const std::string said = last_line(running.printed);
  spdlog::error("{} ended{}: there are no {}s any more, the tables go on{}", program_of(running.service),
                how ? " (" + how->to_text() + ")" : "", running.service.name,
                said.empty() ? "" : "; its last line: " + printable(said));
}

}  // namespace rocktable
