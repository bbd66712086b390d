#include "server/program/options/server_flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <stdexcept>
#include <string_view>
#include <tuple>

#include "base/text.h"
#include "client/http_url.h"
#include "client/secret.h"
#include "odata/protocol/local_identity.h"
#include "server/access/accounts.h"
#include "server/behaviour/behaviour.h"
#include "server/identity/instance_secret.h"
#include "server/tls/certificate_names.h"
#include "storage/postgres/store_schema.h"

namespace rocktable {
namespace {

constexpr int kMaxPort = 65535;

constexpr std::array kOtherServices = {"--blobKeepAliveTimeout", "--extentMemoryLimit", "--queueKeepAliveTimeout"};

// Returns whether a header can carry the token. An empty one, for example from an unset variable, would
// protect nothing.
bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

bool parse_port(const std::string& text, std::uint16_t& port) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::optional<Compatibility> parse_compatibility(std::string_view name) {
  if (name == "azurite") return Compatibility::Azurite;
  if (name == "azurite-table") return Compatibility::AzuriteTable;
  return std::nullopt;
}

std::optional<std::string> ServerFlags::Tls::check(Options& options) const {
  if (mode && *mode != "auto") return "--tls must be auto";
  if (oauth && *oauth != "basic") return "--oauth must be basic";
  if (mode && certificate) return "--tls auto creates its own certificate: remove --cert";
  if (!names.empty() && !mode) return "--tlsName needs --tls auto: your own certificate already has names";
  for (const auto& name : names)
    if (const auto why = certificate_name_error(name); !why.empty()) return "--tlsName: " + why;
  if ((key || password) && !certificate) return "--key and --pwd need --cert";
  if (certificate && key.has_value() == password.has_value()) return "--cert needs either --key (PEM) or --pwd (PFX)";
  if ((certificate && certificate->empty()) || (key && key->empty())) return "--cert and --key need a file";
  if (oauth && !mode && !certificate) return "--oauth needs HTTPS: add --tls auto or --cert";
  options.tls_auto = mode.has_value();
  options.tls_names = names;
  options.certificate_file = certificate.value_or("");
  options.private_key_file = key.value_or("");
  options.certificate_password = read_secret(password.value_or(""), "--pwd");
  options.bearer_tokens = oauth.has_value();
  return std::nullopt;
}

std::optional<std::string> ServerFlags::Identities::check(Options& options) const {
  for (const auto& text : texts) {
    const std::size_t equals = text.find('=');
    IdentityOption identity{text.substr(0, equals), {}};
    bool valid = is_local_identity_name(identity.name);
    for (std::size_t begin = equals; begin < text.size();) {
      const std::size_t end = std::min(text.find(',', begin + 1), text.size());
      identity.roles.emplace_back(trim(std::string_view(text).substr(begin + 1, end - begin - 1)));
      valid = valid && !identity.roles.back().empty();
      begin = end;
    }
    if (!valid) return "--identity needs NAME or NAME=ROLE[,ROLE], but got " + text;
    for (const auto& other : options.identities)
      if (other.name == identity.name) return "--identity " + identity.name + " is given twice";
    options.identities.push_back(std::move(identity));
  }
  if (texts.empty()) return std::nullopt;
  if (!options.tls_auto && options.certificate_file.empty()) return "--identity needs HTTPS: add --tls auto or --cert";
  options.bearer_tokens = true;
  return std::nullopt;
}

std::optional<std::string> ServerFlags::Compatible::check(Options& options) const {
  if (with) {
    const auto compatibility = parse_compatibility(*with);
    if (!compatibility) return "--compat must be azurite or azurite-table";
    options.compatibility = *compatibility;
  }
  if (auto refusal = check_services(options)) return refusal;
  if (options.compatibility != Compatibility::Azurite && !companion && !blob_upstream && !queue_upstream)
    return std::nullopt;
  if (blob_port && !parse_port(*blob_port, options.blob_port))
    return out_of_range("--blobPort", *blob_port, 0, kMaxPort);
  if (queue_port && !parse_port(*queue_port, options.queue_port))
    return out_of_range("--queuePort", *queue_port, 0, kMaxPort);
  options.blob_host = blob_host.value_or("");
  options.queue_host = queue_host.value_or("");
  return std::nullopt;
}

std::optional<std::string> ServerFlags::Compatible::check_services(Options& options) const {
  if (companion && *companion != "azurite") return "--with must be azurite";
  if (companion && (blob_upstream || queue_upstream))
    return "--with azurite serves blobs and queues: remove --blobUpstream and --queueUpstream";
  options.with_azurite = companion.has_value();
  for (const auto& [name, given, url] : {std::tuple{"--blobUpstream", &blob_upstream, &options.blob_upstream},
                                         {"--queueUpstream", &queue_upstream, &options.queue_upstream}}) {
    if (!*given) continue;
    try {
      const HttpUrl parsed = parse_http_url(**given);
      if ((!parsed.path.empty() && parsed.path != "/") || !parsed.query.empty())
        return std::string(name) + " must be a URL without a path, such as http://127.0.0.1:20000";
      *url = parsed.origin();
    } catch (const UrlError& error) {
      return std::string(name) + ": " + error.what();
    }
  }
  return std::nullopt;
}

// Limits of the time and memory that clients may use.
void ServerFlags::add_limits() {
  const auto add = [&](const char* name, int& value, const char* unit, int min, int max, const char* text) {
    add_number(app_, name, value, min, max, std::string(text) + " [" + std::to_string(value) + "]")
        ->type_name(unit)
        ->group("Limits");
  };
  constexpr int kDay = 86400;
  add("--tableKeepAliveTimeout", options_.limits.keep_alive_timeout, "SECONDS", 0, kDay,
      "Close idle connections after");
  add("--headTimeout", options_.limits.head_timeout, "SECONDS", 1, kDay,
      "Limit for receiving the request line and headers");
  add("--bodyTimeout", options_.limits.body_timeout, "SECONDS", 1, kDay, "Limit for receiving the request body");
  add("--answerTimeout", options_.limits.answer_timeout, "SECONDS", 1, kDay, "Limit for sending the response");
  add("--maxConnections", options_.limits.max_connections, "COUNT", 1, 1'000'000,
      "Further connections wait for a place");
  add("--maxRequestMemory", options_.limits.max_request_memory, "MIB", 1, 1 << 20,
      "Total of large requests; others wait");
  add("--maxAnswerMemory", options_.limits.max_answer_memory, "MIB", 1, 1 << 20,
      "Total of large responses; others wait");
}

void ServerFlags::add_options() {
  const char* listening = "Listening";
  app_.add_option("--tableHost", options_.table_host, "Name or address to listen on [127.0.0.1 and ::1]")
      ->type_name("HOST")
      ->group(listening);
  add_number(app_, "--tablePort", options_.table_port, 0, kMaxPort, "Port; 0 picks a free one [10002]")
      ->type_name("PORT")
      ->group(listening);
  app_.add_option("--readyFile", options_.ready_file,
                  "When ready, write port and endpoint as JSON; - is standard output")
      ->type_name("FILE")
      ->group(listening);
  app_.add_flag("--stopAtInputEnd", options_.stop_at_input_end,
                "Stop when standard input ends, as when the parent process dies")
      ->group(listening);
  constexpr int kHour = 3600;
  add_number(app_, "--drain", options_.drain, 0, kHour, "After SIGTERM, be not ready for so long, then stop [0]")
      ->type_name("SECONDS")
      ->group(listening);
  app_.add_flag("--disableProductStyleUrl", options_.path_style_only, "Account in the path, not in the host name")
      ->group(listening);

  app_.add_flag("--strictApiVersion", options_.strict_api_version,
                "Refuse values of x-ms-version unknown to the service")
      ->group(listening);

  const char* access = "Access";
  app_.add_option("--accounts", options_.accounts_file, "Lines NAME:KEY[:KEY]; reread when changed")
      ->type_name("FILE")
      ->group(access);
  app_.add_flag("--anyAccount", options_.any_account, "Every other account exists, too, with the well-known key")
      ->group(access);
  app_.add_option("--tls", tls_.mode, "auto: HTTPS, signed by an authority in DIR/__rocktable_tls__")
      ->type_name("MODE")
      ->group(access);
  app_.add_option("--tlsName", tls_.names, "Further name or address for --tls auto; repeatable")
      ->type_name("NAME")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(access);
  app_.add_option("--cert", tls_.certificate, "HTTPS with your own certificate, PEM (with --key) or PFX")
      ->type_name("FILE")
      ->group(access);
  app_.add_option("--key", tls_.key, "Private key of the PEM certificate")->type_name("FILE")->group(access);
  app_.add_option("--pwd", tls_.password, "Password of the PFX certificate")->type_name("TEXT")->group(access);
  app_.add_option("--oauth", tls_.oauth, "basic: bearer tokens of any issuer; needs HTTPS")
      ->type_name("LEVEL")
      ->group(access);
  app_.add_option("--roles", options_.roles_file,
                  "What these tokens permit: IDENTITY ROLE [SCOPE]; reread when changed")
      ->type_name("FILE")
      ->group(access);
  app_.add_option("--identitySecret", options_.identity_secret,
                  "Of user delegation keys: the same for servers that share a store [random]")
      ->type_name("TEXT")
      ->group(access);
  app_.add_option("--controlToken", options_.control_token, "Bearer token required for /_rocktable/...")
      ->type_name("TOKEN")
      ->group(access);
  app_.add_flag("--noExplorer", options_.no_explorer, "No page for browsers at /_rocktable/")->group(access);
  app_.add_flag("--explainAuth", options_.explain_auth, "Explain refusals in the header x-rocktable-explain")
      ->group(access);

  const char* data = "Data";
  app_.add_option("-l,--location", options_.location, "The store is the folder __rocktable__ in DIR [.]")
      ->type_name("DIR")
      ->group(data);
  app_.add_flag("--inMemoryPersistence", options_.in_memory, "Keep no data on disk")->group(data);
  app_.add_flag("--sync", options_.sync, "Sync each write to disk, to survive power loss")->group(data);
  app_.add_option("--store", options_.store_url, "Keep data in a database: postgresql://HOST/DATABASE")
      ->type_name("URL")
      ->group(data);
  add_number(app_, "--storeTimeout", options_.store_timeout, 1, kHour,
             "Limit for the database to answer [" + std::to_string(options_.store_timeout) + "]")
      ->type_name("SECONDS")
      ->group(data);
  add_number(app_, "--storeConnections", options_.store_connections, 1, 10'000,
             "Limit of connections to it [" + std::to_string(options_.store_connections) + "]")
      ->type_name("N")
      ->group(data);
  add_number(app_, "--storeWait", options_.store_wait, 0, kHour, "Wait so long for it at the start [0]")
      ->type_name("SECONDS")
      ->group(data);
  app_.add_option("--seed", options_.seed, "Fill an empty store with TABLE.ndjson or .csv, or a folder")
      ->type_name("FILE|DIR")
      ->group(data);
  app_.add_option("--seedAccount", options_.seed_account, "Account of these tables [devstoreaccount1]")
      ->type_name("NAME")
      ->group(data);

  const char* stress = "Behaviour under stress";
  app_.add_option("--behave", options_.behave, "throttle, boundaries=N, latency=MS and so on: as the service can be")
      ->type_name("LIST")
      ->group(stress);
  app_.add_option("--faults", options_.faults_file, "Fault rules: which requests fail, and how")
      ->type_name("FILE")
      ->group(stress);
  app_.add_flag("--strictFaults", options_.strict_faults, "Exit code 4 if a rule hit no request")->group(stress);

  const char* logging = "Logging";
  app_.add_flag("-s,--silent", options_.silent, "No access log on standard output")->group(logging);
  app_.add_flag("--insightHeaders", options_.insight_headers,
                "Cost in the headers x-rocktable-plan, -scanned, -returned")
      ->group(logging);
  add_number(app_, "--keepRequests", options_.keep_requests, 0, 1 << 10,
             "Memory for the last requests, which the explorer shows; 0 keeps none [" +
                 std::to_string(options_.keep_requests) + "]")
      ->type_name("MIB")
      ->group(logging);
  app_.add_flag("--keepNoBodies", options_.keep_no_bodies, "Keep requests without their bodies")->group(logging);
  app_.add_option("-d,--debug", options_.debug_file, "Append a line for each request to FILE")
      ->type_name("FILE")
      ->group(logging);
  app_.add_option("--trace", options_.trace_file, "Write requests and responses as an HTTP archive, secrets masked")
      ->type_name("FILE")
      ->group(logging);
  add_number(app_, "--traceLimit", options_.trace_limit, 4, 1 << 20, "Limit for FILE and FILE.1 together [64]")
      ->type_name("MIB")
      ->group(logging);
}

void ServerFlags::add_identities() {
  const char* group = "Local identities";
  app_.add_option("--identity", identities_.texts, "Give tokens of this identity to DefaultAzureCredential; repeatable")
      ->type_name("NAME[=ROLES]")
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group(group);
  add_number(app_, "--identityPort", options_.identity_port, 0, kMaxPort,
             "Where it asks for them; 0 picks a free one [0]")
      ->type_name("PORT")
      ->group(group);
}

void ServerFlags::add_compatible() {
  app_.add_option("--compat", compatible_.with,
                  "azurite: its lines, and empty blob and queue ports; azurite-table: its lines")
      ->type_name("NAME")
      ->group("Listening");
  const char* others = "Blobs and queues";
  app_.add_option("--with", compatible_.companion, "azurite: start its blob and queue services beside this one")
      ->type_name("NAME")
      ->group(others);
  app_.add_option("--blobUpstream", compatible_.blob_upstream, "Pass connections to the blob port on to this emulator")
      ->type_name("URL")
      ->group(others);
  app_.add_option("--queueUpstream", compatible_.queue_upstream, "The same for the queue port")
      ->type_name("URL")
      ->group(others);
  for (auto [name, text] : {std::pair{"--blobHost", &compatible_.blob_host},
                            {"--blobPort", &compatible_.blob_port},
                            {"--queueHost", &compatible_.queue_host},
                            {"--queuePort", &compatible_.queue_port}})
    app_.add_option(name, *text)->group("");
}

// Flags that are accepted so that rocktable can replace Azurite. They have no effect on tables.
void ServerFlags::add_unused() {
  const char* group = "Accepted without effect";
  app_.add_flag("--skipApiVersionCheck", unused_.flag, "The default; see --strictApiVersion")->group(group);
  app_.add_flag("-L,--loose", unused_.flag, "Unknown headers are always ignored")->group(group);
  app_.add_flag("--disableTelemetry", unused_.flag, "There is no telemetry")->group(group);
  for (const char* name : kOtherServices) app_.add_option(name, unused_.text)->group("");
}

ServerFlags::ServerFlags(CLI::App& app, Options defaults) : app_(app), options_(std::move(defaults)) {
  app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  add_options();
  add_identities();
  add_compatible();
  add_limits();
  add_unused();
  app_.add_option("--config", config_file_, "Options from FILE, one NAME = VALUE per line")
      ->type_name("FILE")
      ->configurable(false)
      ->group("Other");
}

// Throws ConfigurationError, and std::runtime_error if the file cannot be read.
void ServerFlags::read_settings(Variables variables) {
  if (variables == Variables::Read) {
    const char* const file = std::getenv("ROCKTABLE_CONFIG");
    if (file != nullptr && app_.count("--config") == 0) config_file_ = file;
    read_variables(app_, options_.value_sources);
    options_.warnings = variable_warnings(app_);
  }
  if (!config_file_.empty()) read_config_file(app_, config_file_, options_.value_sources);
}

// Returns an error message if options are invalid or incompatible.
std::optional<std::string> ServerFlags::check() {
  if (auto refusal = tls_.check(options_)) return refusal;
  if (auto refusal = identities_.check(options_)) return refusal;
  if (app_.count("--identityPort") > 0 && options_.identities.empty()) return "--identityPort needs --identity";
  if (auto refusal = compatible_.check(options_)) return refusal;
  options_.control_token = read_secret(options_.control_token, "--controlToken");
  if (app_.count("--controlToken") > 0 && !is_token(options_.control_token))
    return "--controlToken must consist of visible ASCII characters";
  if (app_.count("--accounts") > 0 && options_.accounts_file.empty()) return "--accounts needs a file";
  if (app_.count("--roles") > 0 && options_.roles_file.empty()) return "--roles needs a file";
  if (app_.count("--roles") > 0 && !options_.bearer_tokens)
    return "--roles needs --oauth basic: roles are those of bearer tokens";
  if (app_.count("--identitySecret") > 0) {
    if (!options_.bearer_tokens) return "--identitySecret needs --oauth basic";
    options_.identity_secret = read_secret(options_.identity_secret, "--identitySecret");
    if (options_.identity_secret.size() < InstanceSecret::kMinTextBytes)
      return "--identitySecret must have at least 16 characters";
  }
  if (app_.count("--config") > 0 && config_file_.empty()) return "--config needs a file";
  if (app_.count("--trace") > 0 && options_.trace_file.empty()) return "--trace needs a file";
  if (app_.count("--traceLimit") > 0 && options_.trace_file.empty()) return "--traceLimit needs --trace";
  if (app_.count("--seed") > 0 && options_.seed.empty()) return "--seed needs a file or folder";
  if (app_.count("--seedAccount") > 0 && (options_.seed.empty() || !is_account_name(options_.seed_account)))
    return "--seedAccount needs an account name, and --seed";
  if (app_.count("--faults") > 0 && options_.faults_file.empty()) return "--faults needs a file";
  try {
    parse_behaviour(options_.behave);
  } catch (const std::invalid_argument& error) {
    return std::string("--behave: ") + error.what();
  }
  if (auto refusal = check_store()) return refusal;
  if (options_.in_memory && app_.count("--location") > 0 && !options_.tls_auto)
    options_.warnings.emplace_back("--location is ignored: --inMemoryPersistence keeps no data on disk");
  return std::nullopt;
}

std::optional<std::string> ServerFlags::check_store() {
  if (app_.count("--store") == 0) {
    for (const std::string flag : {"--storeTimeout", "--storeConnections", "--storeWait"})
      if (app_.count(flag) > 0) return flag + " needs --store";
    return std::nullopt;
  }
  options_.store_url = read_secret(options_.store_url, "--store");
  const std::string_view url = options_.store_url;
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://"))
    return "--store must be a URL that begins with postgresql://";
  if (auto refusal = refuse_store_url(url)) return refusal;
  if (options_.with_azurite)
    return "--with azurite is for the embedded store: start Azurite by itself, and name it by --blobUpstream and "
           "--queueUpstream";
  if (options_.in_memory || options_.sync)
    return "--inMemoryPersistence and --sync are for the embedded store: remove them, or --store";
  if (app_.count("--location") > 0 && !options_.tls_auto)
    options_.warnings.emplace_back("--location is ignored: --store keeps the data in a database");
  return std::nullopt;
}

Invocation ServerFlags::read(Variables variables) {
  const auto refused = [&](const std::string& sentence) {
    return Invocation{{}, usage_error(app_, with_sources(sentence, options_.value_sources))};
  };
  try {
    read_settings(variables);
    if (const auto refusal = check()) return refused(*refusal);
  } catch (const ConfigurationError& error) {
    return refused(error.what());
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(with_sources(error.what(), options_.value_sources));
  }
  return {options_, {}};
}

}  // namespace rocktable
