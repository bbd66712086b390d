// The explorer as HTTP resources: /_rocktable/ is the page, /_rocktable/explorer/... are its parts. The pages hold no
// data: they read it by the control API, whose rules of access apply.
#pragma once

#include <string_view>

#include "odata/protocol/headers.h"
#include "server/access/control_access.h"
#include "server/request/response.h"

namespace rocktable {

// Whether it is for this file to serve. `target` is raw, with its query.
bool is_explorer_target(std::string_view target);

// `is_on`: false answers 404 with the reason. Other refusals are those of refuse_page() (control_access.h). They are
// short HTML pages, because a person reads them.
Response explorer_response(const ControlPolicy& policy, bool is_on, std::string_view method, std::string_view target,
                           const Headers& headers);

}  // namespace rocktable
