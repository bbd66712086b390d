// What a web page that the user did not ask may not do with the well-known key, which everybody knows: write through
// requests that browsers send without asking (CSRF), and reach this server under a name of its own (DNS rebinding).
#pragma once

#include <string_view>

#include "server/access/control_access.h"
#include "server/request/request.h"

namespace rocktable {

// Whether a page of another origin may have sent this write without a preflight: a POST with no other header, and no
// other Content-Type, than every page may send. SDKs always send more. Source: fetch.spec.whatwg.org,
// "CORS-safelisted".
bool is_blind_write(const Request& request);

// Whether a browser asks for a host that is not this machine's. Other machines that can reach the server may call it by
// any name without a dot, as containers do: nobody on the Internet has such a name. Best effort: a browser is
// recognized by the headers that it adds.
bool is_for_foreign_host(const Request& request, const ControlPolicy& policy);

}  // namespace rocktable
