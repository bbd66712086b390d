#include "client/named_account.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

namespace rocktable {

const char* const kAboutConnections =
    "CONN is an account, with its secret:\n"
    "  UseDevelopmentStorage=true         This emulator, with its well-known key\n"
    "  AccountName=...;AccountKey=...     Any connection string of a storage account\n"
    "  https://...?sv=...&sig=...         A URL with a shared access signature\n"
    "  @FILE, env:NAME                    The same, from a file or a variable: out of sight of other users\n"
    "Without it: AZURE_STORAGE_CONNECTION_STRING, or AZURE_TABLES_CONNECTION_STRING.\n";

namespace {

constexpr std::size_t kMaxConnectionBytes = 64 * 1024;  // of a file with a connection string
constexpr const char* kVariables[] = {"AZURE_STORAGE_CONNECTION_STRING", "AZURE_TABLES_CONNECTION_STRING"};

std::string read_connection_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxConnectionBytes, '\0');
  if (in) in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in.is_open() || in.bad()) throw std::runtime_error(file + " cannot be read: " + std::strerror(errno));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

std::string variable(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? "" : value;
}

}  // namespace

TableEndpoint named_account(const std::string& given, const std::string& flag) {
  constexpr std::string_view kVariable = "env:";
  if (given.empty()) {
    for (const char* const name : kVariables)
      if (const std::string value = variable(name); !value.empty()) return parse_connection_string(value);
    throw std::runtime_error("no account is named: give " + flag + ", or set " + kVariables[0]);
  }
  if (given.starts_with('@')) return parse_connection_string(read_connection_file(given.substr(1)));
  if (!given.starts_with(kVariable)) return parse_connection_string(given);
  const std::string name = given.substr(kVariable.size());
  const std::string value = variable(name);
  if (value.empty()) throw std::runtime_error("the variable " + name + " is not set");
  return parse_connection_string(value);
}

}  // namespace rocktable
