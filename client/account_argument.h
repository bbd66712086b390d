// Accounts as commands name them: by a flag's value, a file, or a variable of the environment.
#pragma once

#include <string>
#include <vector>

#include "client/connection_string.h"

namespace rocktable {

// For --help: what stands for CONN.
extern const char* const kAboutConnections;

// What AZURE_STORAGE_CONNECTION_STRING and AZURE_TABLES_CONNECTION_STRING hold, in this order, as far as they are set.
std::vector<std::string> connection_strings_of_environment();

// `given` is a connection string, or where it is (secret.h), or empty: then AZURE_STORAGE_CONNECTION_STRING or
// AZURE_TABLES_CONNECTION_STRING is read. `flag` is named where there is none. Throws
// WrongUsage (wrong_usage.h), and std::runtime_error where a file or a variable cannot be read.
TableEndpoint resolve_account(const std::string& given, const std::string& flag);

}  // namespace rocktable
