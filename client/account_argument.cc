#include "client/account_argument.h"

#include <cstdlib>

#include "client/secret.h"
#include "client/wrong_usage.h"

namespace rocktable {

const char* const kAboutConnections =
    "CONN is an account, with its secret:\n"
    "  UseDevelopmentStorage=true         This emulator, with its well-known key\n"
    "  AccountName=...;AccountKey=...     Any connection string of a storage account\n"
    "  https://...?sv=...&sig=...         A URL with a shared access signature\n"
    "  @FILE, env:NAME                    The same, in a file or a variable: out of others' sight\n"
    "Without it: AZURE_STORAGE_CONNECTION_STRING, or AZURE_TABLES_CONNECTION_STRING.\n";

namespace {

constexpr const char* kVariables[] = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING"};

TableEndpoint account_of(const std::string& text) {
  try {
    return parse_connection_string(text);
  } catch (const ConnectionStringError& error) {
    throw WrongUsage(error.what());
  }
}

}  // namespace

std::vector<std::string> connection_strings_of_environment() {
  std::vector<std::string> out;
  for (const char* const name : kVariables)
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0')
      out.emplace_back(value);
  return out;
}

TableEndpoint resolve_account(const std::string& given, const std::string& flag) {
  if (!given.empty()) return account_of(read_secret(given, flag));
  const auto known = connection_strings_of_environment();
  if (!known.empty()) return account_of(known.front());
  throw WrongUsage("no account is named: give " + flag + ", or set " + kVariables[0] + " or " +
                   kVariables[1]);
}

}  // namespace rocktable
