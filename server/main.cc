// The program: flags, start, the words that tools wait for, exit codes.
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>

#include "server/access_log.h"
#include "server/auth.h"
#include "server/certificate_authority.h"
#include "server/options.h"
#include "server/server.h"
#include "server/service.h"
#include "server/tls.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

constexpr int kCouldNotStart = 1;

// Where clients find the server, and what they need to know of it.
struct Endpoint {
  std::string scheme;
  std::string url;                    // of the account
  std::string certificate_authority;  // which clients are to trust; empty: not our business
};

// Where clients on this machine find a server that listens on `address`. Under HTTPS the name that it was given is the
// better one, for certificates have names.
std::string host_of(const Server& server, const Options& options, bool secure) {
  boost::system::error_code not_an_address;
  std::string host = server.address();
  if (secure && !options.table_host.empty() && !options.table_host.starts_with('[')) {
    boost::asio::ip::make_address(options.table_host, not_an_address);
    if (not_an_address) return options.table_host;
  }
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "[::]") host = "[::1]";
  return host;
}

std::string connection_string(const Endpoint& endpoint) {
  return "DefaultEndpointsProtocol=" + endpoint.scheme + ";AccountName=" + std::string(kDevelopmentAccount) +
         ";AccountKey=" + std::string(kDevelopmentKey) + ";TableEndpoint=" + endpoint.url + ";";
}

// Whole or not at all: who waits for the file never reads half of it.
void write_ready_file(const std::string& path, const Server& server, const Endpoint& endpoint) {
  nlohmann::json ready = {{"port", server.port()},
                          {"endpoint", endpoint.url},
                          {"connectionString", connection_string(endpoint)},
                          {"pid", getpid()}};
  if (!endpoint.certificate_authority.empty()) ready["certificateAuthority"] = endpoint.certificate_authority;
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

void announce(const Server& server, const Endpoint& endpoint) {
  std::cout << "rocktable: Table service is successfully listening at " << endpoint.scheme << "://"
            << server.address() << ':' << server.port() << '\n'
            << connection_string(endpoint) << '\n';
  if (!endpoint.certificate_authority.empty())
    std::cout << "rocktable: clients are to trust " << endpoint.certificate_authority << '\n';
  std::cout << std::flush;
}

// How to speak TLS, and where the authority of --tls auto lies; no context: plain HTTP.
struct Https {
  std::shared_ptr<boost::asio::ssl::context> context;
  std::string authority_file;
};

// Throws TlsError.
Https https_of(const Options& options) {
  Https out;
  Identity identity;
  std::string source = options.certificate_file;
  if (options.tls_auto) {
    const CertificateAuthority authority(std::filesystem::path(options.location) / "__rocktable_tls__");
    out.authority_file = authority.file().string();
    source = out.authority_file;
    identity = authority.issue(local_hosts(options.table_host));
  } else if (options.certificate_file.empty()) {
    return out;
  } else if (options.private_key_file.empty()) {
    identity = read_pfx(options.certificate_file, options.certificate_password);
  } else {
    identity = read_pem(options.certificate_file, options.private_key_file);
  }
  out.context = std::make_shared<boost::asio::ssl::context>(tls_context(identity, source));
  return out;
}

void serve(const Options& options) {
  const Https https = https_of(options);
  const bool secure = https.context != nullptr;
  Server server({options.table_host, options.table_port, std::chrono::seconds(options.keep_alive_timeout),
                 https.context});
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
                   .secure = secure,
                   .sync = options.sync,
                   .strict_api_version = options.strict_api_version,
                   .insight_headers = options.insight_headers});
  const std::string scheme = secure ? "https" : "http";
  const Endpoint endpoint{scheme,
                          scheme + "://" + host_of(server, options, secure) + ":" +
                              std::to_string(server.port()) + "/" + std::string(kDevelopmentAccount),
                          https.authority_file};
  if (!options.ready_file.empty()) write_ready_file(options.ready_file, server, endpoint);
  announce(server, endpoint);
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
