// The endpoint where programs get the tokens of local identities, as they get those of a managed identity from App
// Service or from a virtual machine. Pure: no sockets.
#pragma once

#include <string>
#include <string_view>

#include "base/date_time.h"
#include "server/identity/local_identities.h"

namespace rocktable {

inline constexpr std::string_view kAppServicePath = "/msi/token";
inline constexpr std::string_view kMachinePath = "/metadata/identity/oauth2/token";

// A request. Headers that are missing are empty.
struct IdentityRequest {
  std::string_view method = {}, target = {};
  std::string_view host = {};             // Host
  std::string_view identity_header = {};  // X-IDENTITY-HEADER
  std::string_view metadata = {};         // Metadata
  bool is_forwarded = false;              // it has X-Forwarded-For
};

struct IdentityAnswer {
  int status = 200;
  std::string body;  // JSON
};

// Answers two forms:
//
//   GET /msi/token?api-version=2019-08-01&resource=R                       header X-IDENTITY-HEADER: its secret
//   GET /metadata/identity/oauth2/token?api-version=2018-02-01&resource=R  header Metadata: true
//
// Both take client_id, object_id (or principal_id) or mi_res_id (its last part is the name). Without one, and always if
// there is one identity only, the first identity is meant: a program may have the client id of its identity in the cloud
// built in. The second form has no secret. Web pages cannot use it: they cannot send the header to another origin
// without a preflight, which is refused, and a foreign Host is refused.
//
// Refusals: 400 invalid_request (a parameter, a header of the second form, an unknown identity), 401 (the secret), 403
// (Host), 404 (path), 405.
// Source: learn.microsoft.com/azure/app-service/overview-managed-identity#rest-endpoint-reference;
// learn.microsoft.com/entra/identity/managed-identities-azure-resources/how-to-use-vm-token
IdentityAnswer answer_identity_request(const LocalIdentities& identities, const IdentityRequest& request, DateTime now);

}  // namespace rocktable
