#include "server/identity/identity_report.h"

#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

nlohmann::json null_if_empty(const std::string& text) { return text.empty() ? nlohmann::json() : nlohmann::json(text); }

}  // namespace

nlohmann::json to_json(const IdentityReport& report) {
  auto identities = nlohmann::json::array();
  for (const LocalIdentity& one : report.identities)
    identities.push_back({{"name", one.name},
                          {"clientId", one.app_id},
                          {"objectId", one.object_id},
                          {"tenantId", std::string(kLocalTenant)}});
  return {{"endpoint", null_if_empty(report.url + report.path)},
          {"header", null_if_empty(report.header)},
          {"identities", std::move(identities)}};
}

}  // namespace rocktable
