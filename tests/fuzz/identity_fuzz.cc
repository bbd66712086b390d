// Any bytes as a request to the identity endpoint (lines: `METHOD TARGET`, then header lines): a refusal with a
// sentence and without a secret, or a token of the identity that was asked for, only for who has the right to it. The
// value SECRET of X-IDENTITY-HEADER stands for the secret, which no input can contain.
#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "odata/protocol/bearer_token.h"
#include "server/identity/identity_endpoint.h"
#include "tests/fuzz/header_lines.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

const DateTime kNow = parse_date_time("2026-05-22T23:05:14.5Z").value();
constexpr std::string_view kSecretHere = "SECRET";

LocalIdentities some_identities(const std::vector<const char*>& names) {
  std::vector<LocalIdentity> all;
  for (const char* const name : names) all.push_back(local_identity(name));
  return {all, InstanceSecret()};
}

bool is_loopback(std::string_view host) {
  const std::string lower = to_lower_ascii(host);
  for (const std::string name : {"127.0.0.1", "localhost", "[::1]"})
    if (lower == name || (lower.starts_with(name + ":") && lower.find_last_of(':') == name.size())) return true;
  return false;
}

// What the headers and the path permit, written down a second time.
void require_right(const LocalIdentities& identities, const IdentityRequest& request) {
  require(request.method == "GET" && is_loopback(request.host), "a stranger gets a token");
  const std::string_view path = request.target.substr(0, request.target.find('?'));
  const bool has_secret = request.identity_header == identities.header();
  const bool is_machine = to_lower_ascii(request.metadata) == "true" && !request.is_forwarded;
  require((path == "/msi/token" && has_secret) || (path == "/metadata/identity/oauth2/token" && is_machine),
          "a token without the header");
  require(request.target.find('?') != std::string_view::npos, "a token for no resource");
}

void check_token(const LocalIdentities& identities, const IdentityRequest& request, const nlohmann::json& document) {
  static const LocalIdentities kOthers = some_identities({"alice", "bob"});
  std::set<std::string> names;
  for (const auto& [name, value] : document.items()) {
    require(value.is_string(), "a member that is no text");
    names.insert(name);
  }
  require(names == std::set<std::string>{"access_token", "client_id", "expires_in", "expires_on", "ext_expires_in",
                                         "not_before", "resource", "token_type"},
          "other members");
  const auto token = document.at("access_token").get<std::string>();
  const auto claims = parse_bearer_token(token);
  require(claims.has_value(), "a token that cannot be read");
  require(identities.check_signature(token, *claims).has_value(), "a token that the instance does not know");
  require(!kOthers.check_signature(token, *claims), "a token of another instance counts");
  require(!identities.check_signature(token.substr(0, token.size() - 1), *claims), "a part of a signature counts");
  require(claims->audiences == std::vector<std::string>{document.at("resource").get<std::string>()},
          "a token for another audience");
  require(claims->not_before <= kNow && kNow < claims->expiry && claims->tenant_id == kLocalTenant,
          "a token of another time or tenant");
  const auto& all = identities.all();
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) {
    return one.object_id == claims->object_id && one.app_id == claims->app_id;
  });
  require(found != all.end() && document.at("client_id") == found->app_id, "a token of nobody");
  // The first one is that of who names none; another one has to be named.
  const std::string target = to_lower_ascii(request.target);
  const bool is_named = target.find('%') != target.npos || target.find(found->app_id) != target.npos ||
                        target.find(found->object_id) != target.npos || target.find(found->name) != target.npos;
  require(found == all.begin() || is_named, "a token of an identity that was not named");
}

int check_request(const LocalIdentities& identities, const IdentityRequest& request) {
  const IdentityAnswer answer = answer_identity_request(identities, request, kNow);
  require(answer.body == answer_identity_request(identities, request, kNow).body, "two answers");
  const auto document = nlohmann::json::parse(answer.body, nullptr, false);
  require(document.is_object() && answer.body.find(identities.header()) == std::string::npos, "a body that is none");
  if (answer.status == 200) {
    require_right(identities, request);
    check_token(identities, request, document);
    return answer.status;
  }
  constexpr std::array<int, 5> kRefusals{400, 401, 403, 404, 405};
  require(std::find(kRefusals.begin(), kRefusals.end(), answer.status) != kRefusals.end(), "an unknown status");
  require(document.size() == 2 && document.contains("error") && document.contains("error_description") &&
              !document["error_description"].get<std::string>().empty(),
          "a refusal without a sentence");
  require(is_one_line(answer.body) && answer.body.size() <= 1024 && !document.contains("access_token"),
          "a refusal that is too long");
  return answer.status;
}

}  // namespace

void fuzz_identity(std::string_view input) {
  static const LocalIdentities kSeveral = some_identities({"alice", "bob"}), kOne = some_identities({"alice"});
  const auto lines = lines_of(input);
  if (std::any_of(lines.begin(), lines.end(), holds_control_character)) return;  // the HTTP parser refuses it
  const Headers headers = headers_of(lines, 1);
  const std::string_view first = lines.front();
  const auto blank = std::min(first.find(' '), first.size());
  const std::string_view target = first.substr(std::min(blank + 1, first.size()));
  for (const LocalIdentities* const identities : {&kSeveral, &kOne}) {
    const std::string_view given = headers.get("X-IDENTITY-HEADER");
    check_request(*identities,
                  {.method = first.substr(0, blank),
                   .target = target,
                   .host = headers.get("Host"),
                   .identity_header = given == kSecretHere ? std::string_view(identities->header()) : given,
                   .metadata = headers.get("Metadata"),
                   .is_forwarded = headers.has("X-Forwarded-For")});
    // Any text as the query of who has the right to tokens.
    const std::string query = std::string(kAppServicePath) + "?" + std::string(target);
    const int status = check_request(
        *identities, {.method = "GET", .target = query, .host = "localhost", .identity_header = identities->header()});
    require(status == 200 || status == 400, "a query is refused as if it were something else");
  }
}

}  // namespace rocktable
