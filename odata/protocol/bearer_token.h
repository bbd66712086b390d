// Bearer tokens: the claims of a JSON Web Token, and whether the service accepts them. The signature is not
// checked, so anyone who knows the form of a token can make one. Source: RFC 7519 (JWT), RFC 7515
// (base64url); learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"

namespace rocktable {

// What a token says. Whoever checked it passes this on; nothing parses the token a second time.
struct BearerClaims {
  DateTime not_before;                 // nbf
  DateTime expiry;                     // exp
  DateTime issued_at;                  // iat
  std::string issuer;                  // iss
  std::vector<std::string> audiences;  // aud: a string, or an array of strings
  // Who calls. Empty: the token does not say. GUIDs are in lower case.
  std::string object_id = {};  // oid: of the user, the group's member or the service principal; roles are for it
  std::string tenant_id = {};  // tid
  std::string app_id = {};     // appid in version 1, azp in version 2
  std::string name = {};       // name: for people, nothing is decided by it
};

// The messages of both functions name the part or claim that is at fault. They are for people who debug their
// requests; the service responds with its own sentence only.

// Reads `header.payload.signature`. Each part is base64url; the signature may be empty.
//
// Errors: AuthenticationFailed if the text does not have this form or is longer than 32 KiB, if header or
// payload is not a JSON object or is nested deeper than 16, if one of the five claims is missing, occurs
// twice, or has another type, or if oid, tid, appid or azp occurs twice or is not a string.
Result<BearerClaims> parse_bearer_token(std::string_view token);

// Checks that nbf <= now <= exp, that the issuer belongs to a cloud of Microsoft, and that an audience is
// Azure Storage, or the tables of this account in the cloud or on this machine; for local identities
// (local_identity.h) also Cosmos DB.
//
// Errors: InvalidBearerToken.
Result<void> check_claims(const BearerClaims& claims, std::string_view account, DateTime now);

}  // namespace rocktable
