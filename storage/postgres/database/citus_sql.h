// SQL that is different where Citus distributes the store (citus.h).
#pragma once

#include <string>
#include <vector>

#include "storage/postgres/database/sql_parts.h"

namespace rocktable {

SqlParts citus_parts();

// Statements that set up a connection.
std::vector<std::string> citus_settings();

// Fails if a table does not have its id any more: Statement::Guard.
std::string citus_guard();

}  // namespace rocktable
