#include "client/account_argument.h"

#include <cstdlib>

#include "client/secret.h"
#include "client/usage_error.h"

namespace rocktable {

const char* const kAboutConnections =
    "CONN identifies an account and authorizes requests:\n"
    "  UseDevelopmentStorage=true         This emulator, with its well-known key\n"
    "  AccountName=...;AccountKey=...     Any connection string of a storage account\n"
    "  https://...?sv=...&sig=...         A URL with a shared access signature\n"
    "  @FILE, env:NAME                    Any of these, in a file or a variable\n"
    "Default: AZURE_STORAGE_CONNECTION_STRING or AZURE_TABLES_CONNECTION_STRING.\n";

namespace {

constexpr const char* kVariables[] = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING"};

TableEndpoint account_of(const std::string& text) {
  try {
    return parse_connection_string(text);
  } catch (const ConnectionStringError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::vector<std::string> connection_strings_of_environment() {
  std::vector<std::string> out;
  for (const char* const name : kVariables)
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') out.emplace_back(value);
  return out;
}

TableEndpoint resolve_account(const std::string& given, const std::string& flag) {
  if (!given.empty()) return account_of(read_secret(given, flag));
  const auto known = connection_strings_of_environment();
  if (!known.empty()) return account_of(known.front());
  throw UsageError("no account given: pass " + flag + ", or set " + kVariables[0] + " or " + kVariables[1]);
}

}  // namespace rocktable
