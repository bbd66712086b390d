// Headers that every request may have, whatever its operation.
#pragma once

#include <string>
#include <string_view>

#include "odata/protocol/headers.h"
#include "server/request/target.h"

namespace rocktable {

// Returns the newest version of the service. Responses to requests without a version have this one.
std::string_view newest_version();

// Returns the version (`yyyy-MM-dd`) of x-ms-version or `api-version`, or the newest. Accepts every well-formed
// version; if `strict`, only versions that the service has had. Throws ServiceException: InvalidHeaderValue.
std::string version_of(const Headers& headers, const QueryParameters& query, bool strict);

// Refuses a repeated value that is signed or that routes a request. Throws ServiceException: InvalidAuthenticationInfo,
// InvalidHeaderValue, InvalidQueryParameterValue.
void require_unambiguous(const Headers& headers, const QueryParameters& query);

// Returns the x-ms-client-request-id that responses echo; empty if it is missing, too long, or not visible ASCII.
std::string client_request_id_of(const Headers& headers);

}  // namespace rocktable
