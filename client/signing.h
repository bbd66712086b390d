// What a request shows that it comes from an account: its date and its signature with the account's key.
#pragma once

#include <string>
#include <string_view>

#include "client/http_client.h"
#include "odata/protocol/shared_key.h"

namespace rocktable {

// Now, as RFC 9110 writes dates.
std::string http_date();

// Adds Authorization, with the Shared Key of the account, over the request as it is: with its x-ms-date, which must be there.
void add_shared_key(HttpRequest& request, const std::string& account, const AccountKey& key,
                    std::string_view content_type);

}  // namespace rocktable
