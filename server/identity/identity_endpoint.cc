#include "server/identity/identity_endpoint.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "odata/protocol/query_string.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxResource = 2048;

IdentityAnswer refuse(int status, const char* code, const std::string& sentence) {
  return {status, nlohmann::json{{"error", code}, {"error_description", sentence}}.dump(
                      -1, ' ', true, nlohmann::json::error_handler_t::replace)};
}

struct IdentityParameters {
  std::string api_version, resource, client_id, object_id, resource_id;
  std::string twice;  // the name of a parameter that is repeated
};

IdentityParameters parameters_of(std::string_view query) {
  IdentityParameters out;
  for_each_query_parameter(query, [&](std::string_view raw_name, std::string_view raw_value) {
    const std::string name = decode_query_value(raw_name);
    std::string* const value = name == "api-version"                           ? &out.api_version
                               : name == "resource"                            ? &out.resource
                               : name == "client_id"                           ? &out.client_id
                               : name == "object_id" || name == "principal_id" ? &out.object_id
                               : name == "mi_res_id" || name == "msi_res_id"   ? &out.resource_id
                                                                               : nullptr;
    if (value == nullptr) return;
    if (!value->empty()) out.twice = name;
    *value = decode_query_value(raw_value);
  });
  return out;
}

// `host[:port]` of this machine: a web page cannot make its own name resolve to it (DNS rebinding).
bool is_loopback_host(std::string_view host) {
  const std::size_t colon = host.rfind(':');
  if (colon != std::string_view::npos && !host.ends_with(']')) host = host.substr(0, colon);
  constexpr std::array<std::string_view, 3> kNames{"127.0.0.1", "localhost", "[::1]"};
  return std::any_of(kNames.begin(), kNames.end(), [&](auto name) { return equals_ignoring_case(host, name); });
}

const LocalIdentity* find_identity(const LocalIdentities& identities, const IdentityParameters& given) {
  const auto& all = identities.all();
  const bool names_one = !given.client_id.empty() || !given.object_id.empty() || !given.resource_id.empty();
  if (all.size() == 1 || !names_one) return &all.front();
  const std::string name = given.resource_id.substr(given.resource_id.rfind('/') + 1);
  const auto is_meant = [&](const LocalIdentity& one) {
    return (given.client_id.empty() || equals_ignoring_case(given.client_id, one.app_id)) &&
           (given.object_id.empty() || equals_ignoring_case(given.object_id, one.object_id)) &&
           (given.resource_id.empty() || name == one.name);
  };
  const auto found = std::find_if(all.begin(), all.end(), is_meant);
  return found != all.end() ? &*found : nullptr;
}

std::string list_of(const LocalIdentities& identities) {
  std::string out;
  for (const auto& one : identities.all()) out += (out.empty() ? "" : ", ") + one.name + " has client_id " + one.app_id;
  return out;
}

// Texts, also for numbers: some libraries read only those.
std::string token_document(const LocalIdentities& identities, const LocalIdentity& identity,
                           const std::string& resource, DateTime now) {
  const std::int64_t at = (now.ticks - kUnixEpoch.ticks) / kTicksPerSecond;
  const std::string lifetime = std::to_string(LocalIdentities::kLifetimeSeconds);
  return nlohmann::json{{"access_token", identities.issue(identity, resource, now)},
                        {"client_id", identity.app_id},
                        {"expires_in", lifetime},
                        {"expires_on", std::to_string(at + LocalIdentities::kLifetimeSeconds)},
                        {"ext_expires_in", lifetime},
                        {"not_before", std::to_string(at)},
                        {"resource", resource},
                        {"token_type", "Bearer"}}
      .dump();
}

bool is_resource(const std::string& text) {
  return !text.empty() && text.size() <= kMaxResource &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

IdentityAnswer answer_identity_request(const LocalIdentities& identities, const IdentityRequest& request,
                                       DateTime now) {
  if (!is_loopback_host(request.host)) return refuse(403, "forbidden", "Ask for 127.0.0.1, localhost or [::1].");
  const std::size_t question = request.target.find('?');
  const std::string_view path = request.target.substr(0, question);
  const bool of_app_service = path == kAppServicePath;
  if (!of_app_service && path != kMachinePath)
    return refuse(404, "not_found",
                  "The paths are " + std::string(kAppServicePath) + " and " + std::string(kMachinePath) + ".");
  if (request.method != "GET") return refuse(405, "method_not_allowed", "Use GET.");
  if (of_app_service && !equal_in_constant_time(request.identity_header, identities.header()))
    return refuse(401, "unauthorized", "The header X-IDENTITY-HEADER must have the value of IDENTITY_HEADER.");
  if (!of_app_service && (!equals_ignoring_case(request.metadata, "true") || request.is_forwarded))
    return refuse(400, "invalid_request",
                  request.is_forwarded ? "X-Forwarded-For is not allowed" : "Required metadata header not specified");
  const auto given =
      parameters_of(question == std::string_view::npos ? std::string_view{} : request.target.substr(question + 1));
  if (!given.twice.empty()) return refuse(400, "invalid_request", "The parameter " + given.twice + " is repeated.");
  if (given.api_version.empty())
    return refuse(400, "invalid_request", "Required query variable 'api-version' is missing");
  if (!is_resource(given.resource))
    return refuse(400, "invalid_request", "Required query variable 'resource' is missing or no URL");
  const LocalIdentity* const identity = find_identity(identities, given);
  if (identity == nullptr) return refuse(400, "invalid_request", "Identity not found: " + list_of(identities) + ".");
  return {200, token_document(identities, *identity, given.resource, now)};
}

}  // namespace rocktable
