// The program: flags, start, the words that tools wait for, exit codes.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "server/access_log.h"
#include "server/account_sources.h"
#include "server/options.h"
#include "server/server.h"
#include "server/service.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

constexpr int kCouldNotStart = 1;
constexpr std::size_t kMaxAnnounced = 8;  // accounts
constexpr auto kForOwner = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;

// Where clients on this machine find a server that listens on `address`.
std::string endpoint_of(const Server& server, const Account& account) {
  std::string host = server.address();
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]") host = "[::1]";
  return "http://" + host + ":" + std::to_string(server.port()) + "/" + account.name;
}

std::string connection_string(const std::string& endpoint, const Account& account) {
  return "DefaultEndpointsProtocol=http;AccountName=" + account.name + ";AccountKey=" + account.keys.front() +
         ";TableEndpoint=" + endpoint + ";";
}

bool has_public_key(const Account& account) { return account.keys.front() == kDevelopmentKey; }

// What there is to tell about: devstoreaccount1 first where there is one, then the others as they were named.
std::vector<Account> told_accounts(std::vector<Account> named, bool any) {
  const auto is_development = [](const Account& account) { return account.name == kDevelopmentAccount; };
  if (any && std::none_of(named.begin(), named.end(), is_development))
    named.push_back({std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}});
  std::stable_partition(named.begin(), named.end(), is_development);
  return named;
}

nlohmann::json ready_document(const Server& server, const std::vector<Account>& accounts) {
  auto all = nlohmann::json::array();
  for (const auto& account : accounts) {
    const std::string endpoint = endpoint_of(server, account);
    all.push_back({{"name", account.name},
                   {"endpoint", endpoint},
                   {"connectionString", connection_string(endpoint, account)}});
  }
  return {{"port", server.port()},
          {"endpoint", all.front().at("endpoint")},
          {"connectionString", all.front().at("connectionString")},
          {"accounts", all},
          {"pid", getpid()}};
}

// Whole or not at all: who waits for the file never reads half of it.
void write_ready_file(const std::string& path, const Server& server, const std::vector<Account>& accounts) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished);
  if (!std::all_of(accounts.begin(), accounts.end(),
                   has_public_key)) {  // a user's keys are for the user's eyes
    std::error_code ignored;
    std::filesystem::permissions(unfinished, kForOwner, ignored);
  }
  file << ready_document(server, accounts).dump(2) << '\n';
  file.close();
  std::error_code error;
  if (file) std::filesystem::rename(unfinished, path, error);
  if (!file || error) throw ServerError("cannot write the ready file " + path);
}

// Connections and data files need descriptors: as many as the system allows, not the few that shells start with.
void allow_many_files() {
  constexpr rlim_t kEnough = 65536;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = std::max(limit.rlim_cur, std::min(limit.rlim_max, kEnough));
  setrlimit(RLIMIT_NOFILE, &limit);
}

// Output goes into logs, where no key belongs but the one that everybody knows.
void announce(const Server& server, const std::vector<Account>& accounts) {
  std::cout << "rocktable: Table service is successfully listening at http://" << server.address() << ':'
            << server.port() << '\n';
  for (std::size_t i = 0; i < std::min(accounts.size(), kMaxAnnounced); ++i) {
    const std::string endpoint = endpoint_of(server, accounts[i]);
    std::cout << (has_public_key(accounts[i]) ? connection_string(endpoint, accounts[i]) : endpoint) << '\n';
  }
  if (accounts.size() > kMaxAnnounced)
    std::cout << "and " << accounts.size() - kMaxAnnounced << " more accounts\n";
  std::cout << std::flush;
}

void serve(const Options& options) {
  AccountSources account_sources(options.accounts_file);
  const std::vector<Account> named = account_sources.read();
  const Accounts accounts(named, options.any_account);
  Server server({options.table_host, options.table_port, std::chrono::seconds(options.keep_alive_timeout)});
  // A file of an earlier run would announce a server that is not there.
  if (!options.ready_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(options.ready_file, ignored);
  }
  AccessLog access_log(options.silent, options.debug_file);
  TableStore store(
      {std::filesystem::path(options.location) / "__rocktable__", options.in_memory, options.sync});
  Service service(store, accounts,
                  {.product_style = !options.path_style_only,
                   .sync = options.sync,
                   .strict_api_version = options.strict_api_version,
                   .insight_headers = options.insight_headers,
                   .control = {server.addresses(), options.table_host, options.control_token}});
  const std::vector<Account> told = told_accounts(named, options.any_account);
  if (!options.ready_file.empty()) write_ready_file(options.ready_file, server, told);
  announce(server, told);
  account_sources.watch(accounts);
  server.run(service, access_log);
}

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // who reads standard output may go: the emulator stays
  allow_many_files();
  const Invocation invocation = parse_command_line(argc, argv);
  if (!invocation.options) {
    (invocation.exit_code == 0 ? std::cout : std::cerr) << invocation.message;
    return invocation.exit_code;
  }
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("rocktable", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
  spdlog::set_pattern("rocktable: %v");
  if (invocation.options->warning) spdlog::warn("{}", *invocation.options->warning);
  try {
    serve(*invocation.options);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "rocktable: " << error.what() << '\n';
    return kCouldNotStart;
  }
}

}  // namespace
}  // namespace rocktable

int main(int argc, char** argv) { return rocktable::main(argc, argv); }
