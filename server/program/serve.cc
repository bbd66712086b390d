#include "server/program/serve.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <algorithm>
#include <mutex>
#include <optional>

#include "odata/printable.h"
#include "server/access/account_sources.h"
#include "server/events/access_log.h"
#include "server/events/trace.h"
#include "server/http/server.h"
#include "server/program/seed.h"
#include "server/service.h"
#include "server/tls/certificate_authority.h"
#include "server/tls/certificate_names.h"
#include "server/tls/tls.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

// Connections and data files need descriptors: as many as the system allows, not the few that shells start with.
void allow_many_files() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
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
    identity = authority.issue(certificate_names(options.table_host, options.tls_names));
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

void warn(const std::string& text) { spdlog::warn("{}", printable(text)); }

// The reason why the server has to stop, set by another thread.
class Failure {
 public:
  void tell(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    sentence_ = sentence;
  }
  // Throws StoreError if tell() was called.
  void raise() const {
    const std::lock_guard lock(mutex_);
    if (sentence_) throw StoreError(*sentence_);
  }

 private:
  mutable std::mutex mutex_;
  std::optional<std::string> sentence_;
};

Seed seed_of(const Options& options) {
  Seed seed{.path = options.seed};
  if (!options.seed_account.empty()) seed.account = options.seed_account;
  return seed;
}

Timeouts timeouts_of(const Options& options) {
  return {std::chrono::seconds(options.keep_alive_timeout), std::chrono::seconds(options.head_timeout),
          std::chrono::seconds(options.body_timeout), std::chrono::seconds(options.answer_timeout)};
}

// The table service first.
std::vector<ListenAt> listeners_of(const Options& options) {
  std::vector<ListenAt> out{{StorageService::Table, options.table_host, options.table_port}};
  if (options.compatibility == Compatibility::Azurite) {
    out.push_back({StorageService::Blob, options.blob_host, options.blob_port});
    out.push_back({StorageService::Queue, options.queue_host, options.queue_port});
  }
  for (auto& listener : out) listener.way_out = options.port_way_out;
  return out;
}

ServiceAddress address_of(const Server& server, const std::vector<ListenAt>& listeners, std::size_t place,
                          bool secure) {
  return {server.address(place), local_host_of(server.address(place), listeners[place].host, secure),
          server.port(place)};
}

// Makes the folder, and returns its absolute path; empty where it is there. A mistyped --location must not become a new,
// empty store deep in nowhere. Throws StoreError.
std::string make_location(const std::string& location) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::exists(fs::symlink_status(location, error))) return "";
  fs::path folder = fs::absolute(location);
  while (!folder.has_filename()) folder = folder.parent_path();  // slashes at the end
  const auto refuse = [&](const std::string& why) {
    throw StoreError("--location " + location + ": there is no such folder, and it cannot be made: " + why);
  };
  if (!fs::is_directory(folder.parent_path(), error))
    refuse("neither is there a folder " + folder.parent_path().lexically_normal().string());
  const bool is_made = fs::create_directory(folder, error);
  if (error) refuse(error.message());
  return is_made ? folder.lexically_normal().string() : "";
}

// Of the store, absolute; empty in memory.
std::string told_store(const Options& options) {
  if (options.in_memory) return "";
  return std::filesystem::absolute(store_in(options.location)).lexically_normal().string();
}

bool has_public_key(const Account& account) {
  return std::find(account.keys.begin(), account.keys.end(), kDevelopmentKey) != account.keys.end();
}

// One line where others than this machine may come, with a key that everybody knows.
void warn_of_public_key(const Server& server, const std::vector<Account>& accounts, bool any_account) {
  const auto addresses = server.addresses();
  const auto is_open = [](const auto& address) { return !address.is_loopback(); };
  if (std::none_of(addresses.begin(), addresses.end(), is_open)) return;
  if (!any_account && std::none_of(accounts.begin(), accounts.end(), has_public_key)) return;
  spdlog::warn(
      "everybody who reaches {}:{} can read and change the data, for the account's key is public: use "
      "--tableHost 127.0.0.1, or accounts of your own (--accounts FILE)",
      server.address(), server.port());
}

// Nothing where the disk or a failed restore is in the way: the end is in order all the same.
std::optional<std::uint64_t> count_tables(const TableStore& store) {
  try {
    return store.count_tables(ShutdownReport::kMostTables);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

ShutdownReport start_and_serve(const Options& options,
                               const std::function<void(const StartupReport&)>& tell) {
  AccountSources account_sources(options.accounts_file);
  const std::vector<Account> named = account_sources.read();
  const Accounts accounts(named, options.any_account);
  const std::string made =
      !options.in_memory || options.tls_auto ? make_location(options.location) : std::string();
  const Https https = https_of(options);
  const bool secure = https.context != nullptr;
  const auto listeners = listeners_of(options);
  Server server({.listen = listeners,
                 .timeouts = timeouts_of(options),
                 .max_connections = static_cast<std::size_t>(options.max_connections),
                 .max_request_bytes = static_cast<std::size_t>(options.max_request_memory) * kMebibyte,
                 .max_answer_bytes = static_cast<std::size_t>(options.max_answer_memory) * kMebibyte,
                 .tls = https.context});
  // A file of an earlier run would announce a server that is not there.
  if (!options.ready_file.empty()) {
    std::error_code ignored;
    std::filesystem::remove(options.ready_file, ignored);
  }
  AccessLog access_log(options.silent, options.debug_file);
  std::optional<Trace> trace;
  if (!options.trace_file.empty())
    trace.emplace(options.trace_file, static_cast<std::uint64_t>(options.trace_limit) * kMebibyte);
  Failure failure;
  const auto give_up = [&](const std::string& reason) {
    failure.tell("the store could not be opened again, the server ends: " + reason);
    server.stop();
  };
  TableStore store({.directory = store_in(options.location),
                    .in_memory = options.in_memory,
                    .sync = options.sync,
                    .warn = warn,
                    .give_up = give_up});
  if (!options.seed.empty()) {
    const std::string seeded = seed_store(store, seed_of(options), accounts, warn);
    if (!seeded.empty() && !options.silent) spdlog::info("{}", printable(seeded));
  }
  Service service(store, accounts,
                  {.product_style = !options.path_style_only,
                   .secure = secure,
                   .sync = options.sync,
                   .strict_api_version = options.strict_api_version,
                   .bearer_tokens = options.bearer_tokens,
                   .explain_auth = options.explain_auth || !options.debug_file.empty() || trace,
                   .explain_headers = options.explain_auth,
                   .insight_headers = options.insight_headers,
                   .control = {server.addresses(), options.table_host, options.control_token}});
  StartupReport report{secure ? "https" : "http", address_of(server, listeners, 0, secure),
                       reported_accounts(named, options.any_account), https.authority_file};
  if (options.compatibility == Compatibility::Azurite) {
    report.blob = address_of(server, listeners, 1, secure);
    report.queue = address_of(server, listeners, 2, secure);
  }
  report.store = told_store(options);
  if (!options.ready_file.empty()) write_ready_file(options.ready_file, report);
  if (!made.empty()) spdlog::info("the folder {} was not there, and is made", printable(made));
  warn_of_public_key(server, named, options.any_account);
  tell(report);
  account_sources.watch(accounts);
  server.run(service, access_log, trace ? &*trace : nullptr);
  failure.raise();
  return {report.store, options.in_memory ? std::nullopt : count_tables(store)};
}

}  // namespace

std::filesystem::path store_in(const std::string& location) {
  return std::filesystem::path(location) / "__rocktable__";
}

void serve(const Options& options, const std::function<void(const StartupReport&)>& tell,
           const std::function<void(const ShutdownReport&)>& tell_end) {
  allow_many_files();
  try {
    const ShutdownReport report = start_and_serve(options, tell);
    if (tell_end) tell_end(report);
  } catch (const DamagedStore& error) {
    throw StoreError(std::string(error.what()) + "; `rocktable repair " + options.location +
                     "` saves what is whole");
  }
}

}  // namespace rocktable
