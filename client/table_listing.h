// The tables of an account.
#pragma once

#include <string>
#include <vector>

#include "client/retry.h"
#include "client/table_client.h"

namespace rocktable {

// Returns the names of all tables, in the order of the service. Throws std::runtime_error if they cannot be listed, and
// HttpError if there is no response.
std::vector<std::string> list_all_tables(TableClient& client, const Pause& pause);

}  // namespace rocktable
