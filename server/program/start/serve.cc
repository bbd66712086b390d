#include "server/program/start/serve.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/input_file.h"
#include "base/platform/input_end.h"
#include "base/platform/memory.h"
#include "base/printable.h"
#include "odata/protocol/development_account.h"
#include "server/access/account_sources.h"
#include "server/access/role_source.h"
#include "server/emulator.h"
#include "server/events/access_log.h"
#include "server/events/trace.h"
#include "server/http/server.h"
#include "server/identity/instance_secret.h"
#include "server/identity/revocation_file.h"
#include "server/program/start/identity_service.h"
#include "server/program/start/other_services.h"
#include "server/program/start/places.h"
#include "server/program/start/seed.h"
#include "server/tls/certificate_authority.h"
#include "server/tls/certificate_names.h"
#include "server/tls/handshake_faults.h"
#include "server/tls/tls.h"
#include "storage/engines/open_store.h"
#include "storage/postgres/store_schema.h"

namespace rocktable {
namespace {

constexpr std::size_t kMebibyte = 1 << 20;

// The TLS context (null: plain HTTP), and the certificate file of the authority of --tls auto.
struct Https {
  std::shared_ptr<boost::asio::ssl::context> context;
  Identity identity;  // its members are null with plain HTTP
  std::string authority_file;
  HandshakeFaults::MakeIdentity make_wrong_identity;  // signed by the authority
};

// Throws TlsError.
Https https_of(const Options& options) {
  Https out;
  out.make_wrong_identity = [](HandshakeFault) { return std::nullopt; };
  Identity& identity = out.identity;
  std::string source = options.certificate_file;
  if (options.tls_auto) {
    const auto authority =
        std::make_shared<CertificateAuthority>(std::filesystem::path(options.location) / "__rocktable_tls__");
    out.authority_file = authority->file().string();
    source = out.authority_file;
    const auto names = certificate_names(options.table_host, options.tls_names);
    identity = authority->issue(names);
    out.make_wrong_identity = [authority, names](HandshakeFault fault) {
      return fault == HandshakeFault::Expired ? authority->issue_expired(names) : authority->issue({"other.invalid"});
    };
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

// The reason why the server must stop, set by another thread.
class StoreFailure {
 public:
  void set(const std::string& sentence) {
    const std::lock_guard lock(mutex_);
    sentence_ = sentence;
  }
  // Throws StoreError if set() was called.
  void throw_if_set() const {
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

// The table service first.
std::vector<ListenAddress> listeners_of(const Options& options) {
  std::vector<ListenAddress> out{{StorageService::Table, options.table_host, options.table_port}};
  for (const auto& stub : stubs_of(options)) out.push_back(stub);
  for (auto& listener : out) listener.advice = options.port_advice;
  return out;
}

ServiceAddress address_of(const Server& server, const std::vector<ListenAddress>& listeners, std::size_t place,
                          bool secure) {
  return {server.address(place), local_host_of(server.address(place), listeners[place].host, secure),
          server.port(place)};
}

// The absolute path of the store; empty in memory.
std::string store_path(const Options& options) {
  if (!options.store_url.empty()) return printable_store_url(options.store_url);
  if (options.in_memory) return "";
  return std::filesystem::absolute(store_folder(options.location)).lexically_normal().string();
}

bool has_public_key(const Account& account) {
  return std::find(account.keys.begin(), account.keys.end(), kDevelopmentKey) != account.keys.end();
}

// Warns if other machines can reach the server and an account has the well-known key.
void warn_of_public_key(const Server& server, const std::vector<Account>& accounts, bool any_account) {
  const auto addresses = server.addresses();
  const auto is_open = [](const auto& address) { return !address.is_loopback(); };
  if (std::none_of(addresses.begin(), addresses.end(), is_open)) return;
  if (!any_account && std::none_of(accounts.begin(), accounts.end(), has_public_key)) return;
  spdlog::warn(
      "everybody who can reach {}:{} can read and change the data, because the key of the account is public: "
      "use --tableHost 127.0.0.1, or your own accounts (--accounts FILE)",
      server.address(), server.port());
}

// Returns nullopt if the store cannot be read, after a disk error or a failed restore: that must not fail the
// shutdown.
std::optional<std::uint64_t> count_tables(Store& store) {
  try {
    return store.count_tables(ShutdownReport::kMaxCountedTables);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Throws FileError, and std::runtime_error if the file cannot be read.
void add_faults(FaultPlan& faults, const std::string& file, DateTime now) {
  auto rules = parse_fault_rules(read_file(file), file);
  faults.add(rules, now);
}

bool has_ready_file(const Options& options) {
  return !options.ready_file.empty() && options.ready_file != kStandardOutput;
}

// Of an embedded store: kept beside it. Else of this process, unless the user gives one.
InstanceSecret instance_secret_of(const Options& options) {
  if (!options.identity_secret.empty()) return InstanceSecret(options.identity_secret);
  if (options.in_memory || !options.store_url.empty()) return {};
  return InstanceSecret::of_folder(options.location);
}

std::shared_ptr<DelegationKeys> delegation_keys_of(const Options& options) {
  if (!options.bearer_tokens) return nullptr;
  const std::string secret = instance_secret_of(options).derive("rocktable:user-delegation-keys:v1");
  if (options.in_memory || !options.store_url.empty()) return std::make_shared<DelegationKeys>(secret);
  return std::make_shared<DelegationKeys>(
      secret, read_revocations(options.location),
      [folder = options.location](const DelegationKeys::Revocations& revoked) { write_revocations(folder, revoked); });
}

// What the control API tells of local identities. If others can reach it by the well-known key, it keeps the secret.
IdentityReport identities_to_tell(const std::optional<IdentityService>& identities, const ControlPolicy& control) {
  if (!identities) return {};
  IdentityReport out = identities->report();
  if (control.is_open_to_others() && control.token.empty()) out.header.clear();
  return out;
}

std::string recorded_requests(Emulator& emulator) {
  auto& tables = emulator.tables();
  std::string queries = tables.insight.to_json({}, tables.now());
  const nlohmann::json permissions = tables.permissions.to_json("");
  if (permissions.at("callers").empty()) return queries;
  auto document = nlohmann::json::parse(queries);
  document["permissions"] = permissions;
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

ShutdownReport start_and_serve(const Options& options, const std::function<void(const StartupReport&)>& on_ready) {
  AccountSources account_sources(options.accounts_file);
  const std::vector<Account> named = account_sources.read();
  const Accounts accounts(named, options.any_account);
  const RoleDocument of_identities = roles_of_identities(options);
  RoleSource role_source(options.roles_file, of_identities);
  const auto roles = std::make_shared<Roles>();
  if (role_source.has_roles()) roles->replace(role_source.read());
  const bool needs_folder = (!options.in_memory && options.store_url.empty()) || options.tls_auto;
  const bool as_azurite = options.compatibility != Compatibility::None;
  const std::string made = needs_folder ? make_location(options.location, as_azurite) : std::string();
  const Https https = https_of(options);
  const bool secure = https.context != nullptr;
  const auto listeners = listeners_of(options);
  Server server({.listen = listeners,
                 .limits = options.limits,
                 .tls = https.context,
                 .store_timeout = std::chrono::seconds(options.store_timeout),
                 .drain = std::chrono::seconds(options.drain)});
  OtherServices other_services(options, accounts_to_report(named, options.any_account), https.identity);
  std::optional<InputEnd> input_end;
  if (options.stop_at_input_end) input_end.emplace([&server] { server.stop(); });
  // The file of an earlier run would announce a server that is not running.
  if (has_ready_file(options)) {
    std::error_code ignored;
    std::filesystem::remove(options.ready_file, ignored);
  }
  AccessLog access_log(options.silent, debug_log(options.debug_file, as_azurite));
  std::optional<Trace> trace;
  if (!options.trace_file.empty())
    trace.emplace(options.trace_file, static_cast<std::uint64_t>(options.trace_limit) * kMebibyte);
  StoreFailure failure;
  const auto give_up = [&](const std::string& reason) {
    failure.set("the store could not be reopened, the server stops: " + reason);
    server.stop();
  };
  const auto time = std::make_shared<TimeSource>();
  std::optional<IdentityService> identities;
  if (!options.identities.empty()) identities.emplace(options, instance_secret_of(options), time);
  const auto store = open_store({.directory = store_folder(options.location),
                                 .in_memory = options.in_memory,
                                 .sync = options.sync,
                                 .warn = warn,
                                 .give_up = give_up,
                                 .time = time,
                                 .url = options.store_url,
                                 .timeout = std::chrono::seconds(options.store_timeout),
                                 .max_connections = static_cast<std::size_t>(options.store_connections),
                                 .wait = std::chrono::seconds(options.store_wait),
                                 .must_stop = [&server] { return server.is_stop_asked(); }});
  if (!options.seed.empty()) {
    const std::string seeded = seed_store(*store, seed_of(options), accounts, warn);
    if (!seeded.empty() && !options.silent) spdlog::info("{}", printable(seeded));
  }
  const ControlPolicy control{server.addresses(), options.table_host, options.control_token};
  Emulator emulator(*store, accounts,
                    {.service = {.product_style = !options.path_style_only,
                                 .secure = secure,
                                 .sync = options.sync,
                                 .strict_api_version = options.strict_api_version,
                                 .tokens = {.accepted = options.bearer_tokens,
                                            .check_signature = identities ? identities->check_signature() : nullptr,
                                            .known_identities = of_identities.identities,
                                            .roles = roles,
                                            .delegation = delegation_keys_of(options)},
                                 .explain_auth = options.explain_auth || !options.debug_file.empty() || trace,
                                 .explain_headers = options.explain_auth,
                                 .insight_headers = options.insight_headers,
                                 .requests = {.bytes = static_cast<std::size_t>(options.keep_requests) * kMebibyte,
                                              .bodies = !options.keep_no_bodies},
                                 .control = control,
                                 .time = time},
                     .explorer = !options.no_explorer,
                     .behaviour = parse_behaviour(options.behave),
                     .identities = identities_to_tell(identities, control)});
  if (!options.faults_file.empty()) add_faults(emulator.faults(), options.faults_file, time->now());
  std::optional<HandshakeFaults> handshake_faults;
  if (secure)
    handshake_faults.emplace(
        *https.context, [&](std::string_view name) { return emulator.fault_injection().decide_on_handshake(name); },
        https.make_wrong_identity);
  StartupReport report{secure ? "https" : "http", address_of(server, listeners, 0, secure),
                       accounts_to_report(named, options.any_account), https.authority_file};
  for (std::size_t place = 1; place < listeners.size(); ++place)
    (listeners[place].service == StorageService::Blob ? report.blob : report.queue) =
        address_of(server, listeners, place, secure);
  if (identities) identities->add_to(report);
  other_services.add_to(report, [&server] { return server.is_stop_asked(); });
  report.store = store_path(options);
  if (const std::string kind = store->kind(); !kind.empty()) report.store += " (" + kind + ")";
  boost::system::error_code ignored;
  const ControlPolicy policy{server.addresses(), options.table_host, options.control_token,
                             boost::asio::ip::host_name(ignored)};
  report.explorer = !options.no_explorer && (!policy.token.empty() || !policy.requires_credentials());
  if (has_ready_file(options)) write_ready_file(options.ready_file, report);
  if (!made.empty()) spdlog::info("created the folder {}", printable(made));
  warn_of_public_key(server, named, options.any_account);
  on_ready(report);
  account_sources.watch(accounts);
  role_source.watch(roles);
  server.run(emulator.service(), access_log, trace ? &*trace : nullptr);
  failure.throw_if_set();
  return {report.store, options.in_memory ? std::nullopt : count_tables(*store), emulator.faults().unused(),
          options.report_queries ? recorded_requests(emulator) : std::string()};
}

}  // namespace

std::filesystem::path store_folder(const std::string& location) {
  return std::filesystem::path(location) / "__rocktable__";
}

void serve(const Options& options, const std::function<void(const StartupReport&)>& on_ready,
           const std::function<void(const ShutdownReport&)>& on_stopped) {
  allow_many_files();
  try {
    const ShutdownReport report = start_and_serve(options, on_ready);
    if (on_stopped) on_stopped(report);
  } catch (const DamagedStore& error) {
    throw StoreError(std::string(error.what()) + "; `rocktable repair " + options.location +
                     "` saves the undamaged data");
  }
}

}  // namespace rocktable
