// Detects that an endpoint lost or replaced its data. Only rocktable reports such an id
// (storage/contents_id.h); the service and other emulators do not.
#pragma once

#include <string>

#include "client/connection_string.h"
#include "client/http_client.h"
#include "client/retry.h"

namespace rocktable {

// Returns an id that changes when all data, an account or a table is reset, a snapshot is restored, or the
// instance starts without its previous data. Empty if the endpoint has no id. Throws HttpError.
std::string contents_id_of(const TableEndpoint& endpoint, const HttpOptions& options, const Pause& pause);

}  // namespace rocktable
