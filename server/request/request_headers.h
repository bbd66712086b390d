// Headers that every request may have, whatever its operation.
#pragma once

#include <string>
#include <string_view>

#include "odata/protocol/headers.h"
#include "server/request/target.h"

namespace rocktable {

// The newest version of the service: answers to requests without a version have this one.
std::string_view newest_version();

// The version (`yyyy-MM-dd`) of x-ms-version or `api-version`, or the newest. Takes every well-formed version; if `strict`,
// only those that the service had. Throws ServiceException: InvalidHeaderValue.
std::string version_of(const Headers& headers, const QueryParameters& query, bool strict);

// Refuses a second value of what is signed, or routes a request. Throws ServiceException: InvalidAuthenticationInfo,
// InvalidHeaderValue, InvalidQueryParameterValue.
void require_unambiguous(const Headers& headers, const QueryParameters& query);

// The value of x-ms-client-request-id that answers echo; empty if it is missing, too long, or not visible ASCII.
std::string client_request_id_of(const Headers& headers);

}  // namespace rocktable
