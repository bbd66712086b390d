// Accounts as commands name them: by a flag's value, a file, or a variable of the environment.
#pragma once

#include <string>

#include "client/connection_string.h"

namespace rocktable {

// For --help: what stands for CONN.
extern const char* const kAboutConnections;

// `given` is a connection string, or where it is (secret.h), or empty: then AZURE_STORAGE_CONNECTION_STRING or
// AZURE_TABLES_CONNECTION_STRING is read. `flag` is named where there is none. Throws std::runtime_error.
TableEndpoint named_account(const std::string& given, const std::string& flag);

}  // namespace rocktable
