// Any bytes as a request for the control API (lines: method, target, then header lines), once with a random
// token required, and once on a loopback address. Accepted requests have the right Host and Origin.
#include <atomic>
#include <nlohmann/json.hpp>

#include "server/access/control_access.h"
#include "server/control/control.h"
#include "server/control/control_response.h"
#include "tests/fuzz/access_request.h"
#include "tests/fuzz/header_lines.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable {
namespace {

using boost::asio::ip::make_address;

// Names that resolve to this machine on every machine, with or without a port.
bool is_this_machine(const std::string& host) {
  const std::string name = host.substr(0, host.starts_with('[') ? host.find(']') + 1 : host.rfind(':'));
  if (name == "localhost" || name.ends_with(".localhost") || name == "host.docker.internal") return true;
  return (name.starts_with("127.") && name.find_first_not_of("0123456789.") == name.npos) ||
         (name.starts_with('[') && name.find_first_not_of("0123456789abcdef:.%[]") == name.npos);
}

void check_admitted_here(const Headers& headers) {
  const auto host = headers.get("Host");
  require(headers.count("Host") == 1 && is_this_machine(to_lower_ascii(host)), "let in by the Host of a stranger");
  const auto origin = to_lower_ascii(headers.get("Origin"));
  require(!headers.has("Origin") || origin == "http://" + to_lower_ascii(host) ||
              origin == "https://" + to_lower_ascii(host),
          "a page of a stranger is let in");
}

void check_refusal(const ControlRefusal& refusal) {
  const Response response = control_refusal(refusal);
  require((response.status == 401 || response.status == 403) && nlohmann::json::accept(response.body),
          "a refusal that is none");
}

}  // namespace

void fuzz_control(std::string_view input) {
  static const ControlPolicy kLocal{{make_address("127.0.0.1")}, "", ""};
  static const ControlPolicy kAnywhere{{make_address("0.0.0.0")}, "", fuzz_key()};
  auto lines = lines_of(input);
  lines.resize(std::max<std::size_t>(lines.size(), 2));
  if (std::any_of(lines.begin(), lines.end(), holds_control_character)) return;  // the HTTP parser refuses it
  const Headers headers = headers_of(lines, 2);
  const std::string target = std::string(kControlPrefix) + lines[1];
  const auto resource = control_resource(target);
  require(lies_within(resource, target), "a resource from elsewhere");
  const auto unsigned_request = [] { return false; };

  const auto local = refuse_control(kLocal, resource, headers, unsigned_request);
  if (local) check_refusal(*local);
  if (!local && !is_public_resource(resource)) check_admitted_here(headers);
  const auto anywhere = refuse_control(kAnywhere, resource, headers, unsigned_request);
  require(anywhere.has_value() != is_public_resource(resource), "let in without the token");
  if (anywhere) check_refusal(*anywhere);

  static OpenedStore store({{}, true});
  const std::atomic<bool> stopping = false;
  const Statistics statistics;
  const RequestMetrics metrics;
  Insight insight;
  RecentRequests recent_requests;
  TimeSource time;
  Behaviours behaviours;
  FaultPlan faults;
  RetryLog retries;
  const TokenRules tokens{.accepted = true};
  PermissionLog permissions(tokens.roles);
  const ControlState state{.statistics = statistics,
                           .metrics = metrics,
                           .insight = insight,
                           .recent_requests = recent_requests,
                           .stopping = stopping,
                           .store = store,
                           .serves_account = [](std::string_view account) { return account.size() < 5; },
                           .has_public_key = [](std::string_view) { return false; },
                           .key_of = [](std::string_view) { return std::string("a2V5"); },
                           .named_accounts = [] { return std::vector<std::string>{"a"}; },
                           .settings_changed = [] {},
                           .time = time,
                           .behaviours = behaviours,
                           .faults = faults,
                           .retries = retries,
                           .tokens = tokens,
                           .permissions = permissions,
                           .identities = {"http://127.0.0.1:1", "/msi/token", "secret", {local_identity("a")}}};
  const std::string_view body = lines.size() > 2 ? lines.back() : std::string_view();
  const std::atomic<bool> hung_up = false;
  const Response response = control_response({lines[0], target, body, hung_up}, state);
  require(response.status < 500 && (response.stream || nlohmann::json::accept(response.body)),
          "an answer that is no JSON");
}

}  // namespace rocktable
