#include "server/program/beside/azurite.h"

#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <system_error>

#include "base/number.h"
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

std::string program_of(const AzuriteService& service) { return std::string("azurite-") + service.name; }

bool is_program(const fs::path& path) { return access(path.c_str(), X_OK) == 0 && fs::is_regular_file(path); }

const char* value_of(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

// NAME:KEY[:KEY];..., as Azurite reads it.
std::string accounts_text(const std::vector<Account>& accounts) {
  std::string out = "AZURITE_ACCOUNTS=";
  for (const auto& account : accounts) {
    out += account.name;
    for (const auto& key : account.keys) out += ":" + key;
    out += ";";
  }
  out.pop_back();
  return out;
}

// That of this process. Variables of Azurite would choose other accounts, or a database.
std::vector<std::string> azurite_environment(const std::vector<Account>& accounts) {
  std::vector<std::string> out;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (!std::string_view(*variable).starts_with("AZURITE_")) out.emplace_back(*variable);
  out.push_back(accounts_text(accounts));
  return out;
}

CompanionStart start_of(const AzuriteService& service, const fs::path& program, const AzuriteOptions& options) {
  const std::string name = service.name;
  CompanionStart out{.words = {program.string(), "--silent", "--skipApiVersionCheck", "--disableTelemetry"},
                     .environment = azurite_environment(options.accounts),
                     .contents = {}};
  const auto add = [&](std::initializer_list<std::string> words) {
    out.words.insert(out.words.end(), words.begin(), words.end());
  };
  add({"--" + name + "Port", std::to_string(service.port)});
  if (!service.host.empty()) add({"--" + name + "Host", service.host});
  if (options.folder.empty()) {
    add({"--inMemoryPersistence"});
  } else {
    add({"--location", options.folder});
  }
  if (!options.certificates.empty()) {
    add({"--cert", companion_file(0), "--key", companion_file(1)});
    out.contents = {options.certificates, options.key};
    if (options.bearer_tokens) add({"--oauth", "basic"});
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

}  // namespace

std::optional<fs::path> find_azurite(const std::string& name, fs::path folder, const std::string& path) {
  const std::string program = "azurite-" + name;
  for (;; folder = folder.parent_path()) {
    if (const fs::path local = folder / "node_modules/.bin" / program; is_program(local)) return local;
    if (folder == folder.parent_path()) break;
  }
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path in_folder = fs::path(path.substr(begin, end - begin)) / program;
    if (end > begin && is_program(in_folder)) return fs::absolute(in_folder);
    begin = end + 1;
  }
  return std::nullopt;
}

std::optional<AzuriteAddress> azurite_address(const std::string& printed) {
  constexpr std::string_view kBefore = "successfully listens on http";
  const std::size_t found = printed.find(kBefore);
  if (found == std::string::npos) return std::nullopt;
  const std::size_t host = printed.find("://", found);
  const std::size_t end = printed.find('\n', found);
  if (end == std::string::npos || host > end) return std::nullopt;
  const std::string authority = printed.substr(host + 3, end - host - 3);
  const std::size_t colon = authority.rfind(':');
  if (colon == std::string::npos) return std::nullopt;
  AzuriteAddress out{authority.substr(0, colon), 0};
  if (out.host.find(':') != std::string::npos) out.host = "[" + out.host + "]";  // Azurite prints ::1 bare
  const auto port = parse_int32(authority.substr(colon + 1));
  if (!port || *port <= 0 || *port > std::numeric_limits<std::uint16_t>::max()) return std::nullopt;
  out.port = static_cast<std::uint16_t>(*port);
  return out;
}

Azurite::Azurite(const AzuriteOptions& options) : options_(options), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (stop_ < 0) throw std::system_error(errno, std::generic_category(), "cannot watch Azurite");
  try {
    std::vector<fs::path> programs;
    for (const auto& service : options_.services) {
      const auto program = find_azurite(service.name, fs::current_path(), value_of("PATH"));
      if (!program)
        throw CompanionError("--with azurite needs the program " + program_of(service) +
                             ", which is neither in PATH nor in node_modules/.bin: npm install --global azurite");
      programs.push_back(*program);
    }
    if (!options_.folder.empty()) fs::create_directories(options_.folder);
    for (std::size_t i = 0; i < programs.size(); ++i)
      companions_.push_back(std::make_unique<Companion>(start_of(options_.services.at(i), programs[i], options_)));
  } catch (...) {
    close(stop_);
    throw;
  }
  options_.key.clear();
}

Azurite::~Azurite() {
  if (watcher_.joinable()) {
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto written = write(stop_, &one, sizeof one);
    watcher_.join();
  }
  for (const auto& companion : companions_) companion->ask_to_stop();
  const auto end = std::chrono::steady_clock::now() + kAzuriteStopTimeout;
  for (const auto& companion : companions_)
    companion->await_end(std::chrono::duration_cast<milliseconds>(end - std::chrono::steady_clock::now()));
  companions_.clear();
  close(stop_);
}

void Azurite::fail_to_start(std::size_t place) {
  const AzuriteService& service = options_.services.at(place);
  Companion& companion = *companions_.at(place);
  const auto how = companion.await_end(kAzuriteStopTimeout);
  if (const auto port = about_port(service, companion.output())) throw CompanionError(*port);
  const std::string said = companion.last_line();
  throw CompanionError(program_of(service) + " did not start" + (how ? " (" + *how + ")" : "") +
                       (said.empty() ? "" : ": " + said));
}

void Azurite::await_ready(const std::function<bool()>& must_stop) {
  const auto end = std::chrono::steady_clock::now() + kStartTimeout;
  for (std::size_t i = 0; i < companions_.size();) {
    if (const auto address = azurite_address(companions_[i]->output())) {
      addresses_.at(i++) = *address;
      continue;
    }
    if (must_stop()) throw CompanionError("stopped before Azurite answered");
    if (std::chrono::steady_clock::now() >= end)
      throw CompanionError(program_of(options_.services.at(i)) + " does not answer");
    pollfd waiting{companions_[i]->descriptor(), POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(kStopCheck.count())) > 0 && !companions_[i]->read_output()) fail_to_start(i);
  }
  watcher_ = std::thread([this] { watch(); });
}

// Reads what the companions print, so that they do not wait for a reader. Tells when one ends; the tables do not need
// it, so the server goes on.
void Azurite::watch() const {
  std::array<pollfd, 3> waiting{pollfd{companions_[0]->descriptor(), POLLIN, 0},
                                pollfd{companions_[1]->descriptor(), POLLIN, 0}, pollfd{stop_, POLLIN, 0}};
  for (;;) {
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;
    if (waiting.back().revents != 0) return;
    for (std::size_t i = 0; i < companions_.size(); ++i) {
      Companion& companion = *companions_[i];
      if (waiting.at(i).revents == 0 || companion.read_output()) continue;
      waiting.at(i).fd = -1;  // poll() ignores it
      const AzuriteService& service = options_.services.at(i);
      const auto how = companion.await_end(kEndOfOutput);
      const std::string said = companion.last_line();
      spdlog::error("{} ended{}: there are no {}s any more, the tables go on{}", program_of(service),
                    how ? " (" + *how + ")" : "", service.name,
                    said.empty() ? "" : "; its last line: " + printable(said));
    }
  }
}

}  // namespace rocktable
