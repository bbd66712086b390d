#include "server/program/start/identity_service.h"

#include <string>
#include <utility>
#include <vector>

#include "base/text.h"

namespace rocktable {
namespace {

std::shared_ptr<const LocalIdentities> identities_of(const Options& options, const InstanceSecret& secret) {
  std::vector<LocalIdentity> all;
  for (const auto& one : options.identities) all.push_back(local_identity(one.name));
  return std::make_shared<LocalIdentities>(std::move(all), secret);
}

}  // namespace

RoleDocument roles_of_identities(const Options& options) {
  RoleDocument out;
  for (const auto& one : options.identities) {
    const LocalIdentity identity = local_identity(one.name);
    std::string text = one.name + " oid=" + identity.object_id + " tid=" + std::string(kLocalTenant) +
                       " appid=" + identity.app_id + "\n";
    for (const auto& role : one.roles) text += one.name + " " + role + "\n";
    const RoleDocument of_one = parse_roles(text, "--identity " + one.name);
    out.identities.insert(out.identities.end(), of_one.identities.begin(), of_one.identities.end());
    out.assignments.insert(out.assignments.end(), of_one.assignments.begin(), of_one.assignments.end());
  }
  return out;
}

IdentityService::IdentityService(const Options& options, const InstanceSecret& secret,
                                 std::shared_ptr<const TimeSource> time)
    : identities_(identities_of(options, secret)),
      listener_(options.identity_port, [identities = identities_, time = std::move(time)](const auto& request) {
        return answer_identity_request(*identities, request, time->now());
      }) {}

std::function<Result<void>(std::string_view, const BearerClaims&)> IdentityService::check_signature() const {
  return [identities = identities_](std::string_view token, const BearerClaims& claims) {
    return identities->check_signature(token, claims);
  };
}

IdentityReport IdentityService::report() const {
  return {"http://127.0.0.1:" + std::to_string(listener_.port()), std::string(kAppServicePath), identities_->header(),
          identities_->all()};
}

void IdentityService::add_to(StartupReport& report) const {
  report.identity = this->report();
  std::vector<std::string> names;
  for (const auto& one : identities_->all()) names.push_back(one.name);
  report.notes.push_back("tokens of " + joined(names) + ": AZURE_POD_IDENTITY_AUTHORITY_HOST=" + report.identity->url);
}

}  // namespace rocktable
