// What the debug log says about a refused request, and about the operations of a batch. Pure; any bytes are accepted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "server/events/request_event.h"

namespace rocktable {

// Percent-encodes control characters, which a terminal would execute, quotes, which would end a quoted part of a line,
// and bytes that are not ASCII.
std::string percent_encoded(std::string_view text);

// ` EntityAlreadyExists: The specified entity already exists.`; empty if the request was not refused. Secrets are
// masked, and
// it has at most 600 bytes.
std::string reason_of(const RequestEvent& event);

// The lines of a batch, one for each operation: `operation 3: PUT /orders(...) -> 409 EntityAlreadyExists: ...`. An
// operation of a change set that failed because of another one has `not done`. Empty if the request is no batch.
std::vector<std::string> operations_of(const RequestEvent& event);

}  // namespace rocktable
