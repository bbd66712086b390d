#include "client/named_account.h"

#include <cstdlib>
#include <stdexcept>

#include "client/secret.h"

namespace rocktable {

const char* const kAboutConnections =
    "CONN is an account, with its secret:\n"
    "  UseDevelopmentStorage=true         This emulator, with its well-known key\n"
    "  AccountName=...;AccountKey=...     Any connection string of a storage account\n"
    "  https://...?sv=...&sig=...         A URL with a shared access signature\n"
    "  @FILE, env:NAME                    The same, from a file or a variable: out of sight of other users\n"
    "Without it: AZURE_STORAGE_CONNECTION_STRING, or AZURE_TABLES_CONNECTION_STRING.\n";

namespace {

constexpr const char* kVariables[] = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING"};

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

TableEndpoint named_account(const std::string& given, const std::string& flag) {
  if (!given.empty()) return parse_connection_string(read_secret(given, flag));
  for (const char* const name : kVariables)
    if (const std::string value = variable(name); !value.empty()) return parse_connection_string(value);
  throw std::runtime_error("no account is named: give " + flag + ", or set " + kVariables[0]);
}

}  // namespace rocktable
