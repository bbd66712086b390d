// Signs requests with the Shared Key of an account.
#pragma once

#include <string>
#include <string_view>

#include "client/http_client.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

// The current time as an HTTP date (RFC 9110).
std::string http_date();

// Adds the Authorization header with a Shared Key signature of the request. The request must have x-ms-date.
void add_shared_key(HttpRequest& request, const std::string& account, const AccountKey& key,
                    std::string_view content_type);

}  // namespace rocktable
