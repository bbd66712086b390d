// Bearer tokens: what a JSON Web Token claims, and whether the service takes such claims. Nobody's signature is
// checked: who knows the form of a token has one.
// Source: RFC 7519 (JWT), RFC 7515 (base64url);
// learn.microsoft.com/rest/api/storageservices/authorize-with-azure-active-directory
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"

namespace rocktable {

struct BearerClaims {
  DateTime not_before;                 // nbf
  DateTime expiry;                     // exp
  DateTime issued_at;                  // iat
  std::string issuer;                  // iss
  std::vector<std::string> audiences;  // aud: a string, or an array of strings
};

// Refusals of both functions say in their message which part or claim is at fault. That is for people who look
// for their mistake: the service answers with its own sentence alone.

// Reads `header.payload.signature`, each in base64url; the signature may be empty.
//
// Errors: AuthenticationFailed where it is no such text, has more than 32 KiB, where header or payload is no JSON
// object or nests deeper than 16, where one of the five claims is missing, twice there, or of another type.
Result<BearerClaims> parse_bearer_token(std::string_view token);

// nbf <= now <= exp, an issuer of Microsoft's clouds, an audience that is Azure Storage or this account's tables.
//
// Errors: InvalidBearerToken.
Result<void> check_claims(const BearerClaims& claims, std::string_view account, DateTime now);

}  // namespace rocktable
