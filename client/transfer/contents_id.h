// Which contents an endpoint has, where it can tell: rocktable can (storage/contents_id.h), the service and other
// emulators cannot.
#pragma once

#include <string>

#include "client/connection_string.h"
#include "client/http_client.h"
#include "client/retry.h"

namespace rocktable {

// Another text once all of its data, an account or a table were reset, a snapshot was restored, or it was started without
// the data of before; empty where the endpoint cannot tell. Throws HttpError.
std::string contents_id_of(const TableEndpoint& endpoint, const HttpOptions& options, const Pause& pause);

}  // namespace rocktable
