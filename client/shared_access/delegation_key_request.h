// Asks a table endpoint for a user delegation key.
// Source: learn.microsoft.com/rest/api/storageservices/get-user-delegation-key
#pragma once

#include <string>

#include "base/date_time.h"
#include "client/http_client.h"
#include "client/http_url.h"
#include "odata/protocol/sas.h"

namespace rocktable {

// Fills in the fields of the key and returns its value, base64. `endpoint`: of an account. `token`: a bearer token. The
// key is valid until `expiry`, at most seven days. Throws HttpError, and std::runtime_error with the error of the service.
std::string request_delegation_key(SasParameters& sas, const HttpUrl& endpoint, const std::string& token,
                                   const std::string& expiry, const HttpOptions& options);

}  // namespace rocktable
