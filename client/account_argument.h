// Resolves the storage account that a command works on: from a flag, a file, or an environment variable.
#pragma once

#include <string>
#include <vector>

#include "client/connection_string.h"

namespace rocktable {

// Text for --help: which values CONN can have.
extern const char* const kAboutConnections;

// Returns the values of AZURE_STORAGE_CONNECTION_STRING and AZURE_TABLES_CONNECTION_STRING, in this order,
// without those that are unset or empty.
std::vector<std::string> connection_strings_of_environment();

// `given` is a connection string or a reference to one (client/secret.h). If it is empty, the environment
// variables above are used. Errors mention `flag` as the flag to set. Throws UsageError
// (client/usage_error.h) if there is no account or it is malformed, and std::runtime_error if a file or a
// variable cannot be read.
TableEndpoint resolve_account(const std::string& given, const std::string& flag);

}  // namespace rocktable
