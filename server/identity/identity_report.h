// Where programs get the tokens of local identities: what the ready file and the control API tell.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "odata/protocol/local_identity.h"

namespace rocktable {

struct IdentityReport {
  std::string url;     // `http://127.0.0.1:40001`
  std::string path;    // of the form of App Service
  std::string header;  // a secret: what X-IDENTITY-HEADER must have; empty: not told
  std::vector<LocalIdentity> identities;
};

// {"endpoint", "header", "identities": [{"name", "clientId", "objectId", "tenantId"}]}. What is empty is null.
nlohmann::json to_json(const IdentityReport& report);

}  // namespace rocktable
