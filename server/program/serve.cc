#include "server/program/serve.h"

#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include <mutex>
#include <optional>

#include "odata/printable.h"
#include "server/access/account_sources.h"
#include "server/access_log.h"
#include "server/certificate_authority.h"
#include "server/certificate_names.h"
#include "server/program/seed.h"
#include "server/server.h"
#include "server/service.h"
#include "server/tls.h"
#include "server/trace/trace.h"
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
  return out;
}

ServiceAddress address_of(const Server& server, const std::vector<ListenAt>& listeners, std::size_t place,
                          bool secure) {
  return {server.address(place), local_host_of(server.address(place), listeners[place].host, secure),
          server.port(place)};
}

void start_and_serve(const Options& options, const std::function<void(const Announcement&)>& tell) {
  AccountSources account_sources(options.accounts_file);
  const std::vector<Account> named = account_sources.read();
  const Accounts accounts(named, options.any_account);
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
  Announcement announcement{secure ? "https" : "http", address_of(server, listeners, 0, secure),
                            told_accounts(named, options.any_account), https.authority_file};
  if (options.compatibility == Compatibility::Azurite) {
    announcement.blob = address_of(server, listeners, 1, secure);
    announcement.queue = address_of(server, listeners, 2, secure);
  }
  if (!options.ready_file.empty()) write_ready_file(options.ready_file, announcement);
  tell(announcement);
  account_sources.watch(accounts);
  server.run(service, access_log, trace ? &*trace : nullptr);
  failure.raise();
}

}  // namespace

std::filesystem::path store_in(const std::string& location) {
  return std::filesystem::path(location) / "__rocktable__";
}

void serve(const Options& options, const std::function<void(const Announcement&)>& tell) {
  allow_many_files();
  try {
    start_and_serve(options, tell);
  } catch (const DamagedStore& error) {
    throw StoreError(std::string(error.what()) + "; `rocktable repair " + options.location +
                     "` saves what is whole");
  }
}

}  // namespace rocktable
