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
#include "server/auth.h"
#include "server/options.h"
#include "server/server.h"
#include "server/service.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

constexpr int kCouldNotStart = 1;

// Where clients on this machine find a server that listens on `address`.
std::string endpoint_of(const Server& server) {
  std::string host = server.address();
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]") host = "[::1]";
  return "http://" + host + ":" + std::to_string(server.port()) + "/" + std::string(kDevelopmentAccount);
}

std::string connection_string(const std::string& endpoint) {
  return "DefaultEndpointsProtocol=http;AccountName=" + std::string(kDevelopmentAccount) +
         ";AccountKey=" + std::string(kDevelopmentKey) + ";TableEndpoint=" + endpoint + ";";
}

// Whole or not at all: who waits for the file never reads half of it.
void write_ready_file(const std::string& path, const Server& server) {
  const std::string endpoint = endpoint_of(server);
  const nlohmann::json ready = {{"port", server.port()},
                                {"endpoint", endpoint},
                                {"connectionString", connection_string(endpoint)},
                                {"pid", getpid()}};
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished);
  file << ready.dump(2) << '\n';
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

void announce(const Server& server) {
  std::cout << "rocktable: Table service is successfully listening at http://" << server.address() << ':'
            << server.port() << '\n'
            << connection_string(endpoint_of(server)) << '\n'
            << std::flush;
}

void serve(const Options& options) {
  Server server({options.table_host, options.table_port, std::chrono::seconds(options.keep_alive_timeout)});
  // A file of an earlier run would announce a server that is not there.
  if (!options.ready_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(options.ready_file, ignored);
  }
  AccessLog access_log(options.silent, options.debug_file);
  TableStore store(
      {std::filesystem::path(options.location) / "__rocktable__", options.in_memory, options.sync});
  const Accounts accounts{{std::string(kDevelopmentAccount), {std::string(kDevelopmentKey)}}};
  Service service(store, accounts,
                  {.product_style = !options.path_style_only,
                   .sync = options.sync,
                   .strict_api_version = options.strict_api_version,
                   .bearer_tokens = options.bearer_tokens,
                   .explain_auth = options.explain_auth,
                   .insight_headers = options.insight_headers});
  if (!options.ready_file.empty()) write_ready_file(options.ready_file, server);
  announce(server);
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
