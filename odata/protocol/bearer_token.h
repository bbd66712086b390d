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

struct BearerClaims {
  DateTime not_before;                 // nbf
  DateTime expiry;                     // exp
  DateTime issued_at;                  // iat
  std::string issuer;                  // iss
  std::vector<std::string> audiences;  // aud: a string, or an array of strings
};

// The messages of both functions name the part or claim that is at fault. They are for people who debug their
// requests; the service responds with its own sentence only.

// Reads `header.payload.signature`. Each part is base64url; the signature may be empty.
//
// Errors: AuthenticationFailed if the text does not have this form or is longer than 32 KiB, if header or
// payload is not a JSON object or is nested deeper than 16, or if one of the five claims is missing, occurs
// twice, or has another type.
Result<BearerClaims> parse_bearer_token(std::string_view token);

// Checks that nbf <= now <= exp, that the issuer belongs to a cloud of Microsoft, and that an audience is
// Azure Storage, or the tables of this account in the cloud or on this machine.
//
// Errors: InvalidBearerToken.
Result<void> check_claims(const BearerClaims& claims, std::string_view account, DateTime now);

}  // namespace rocktable
