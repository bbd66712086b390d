// Which rocktable a command is for, and what shows that it may control it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/http_url.h"

namespace rocktable {

struct TargetOptions {
  std::string target = "http://127.0.0.1:10002";  // as given
  std::string ca_file;  // certificates that are trusted beside the system's; empty: none
};

struct ControlTarget {
  HttpUrl origin;  // without path and query
  std::string account_name, account_key;
  bool account_is_given = false;  // else it is the one that everybody knows
};

// `given` is a connection string, a URL, or where one of these is (secret.h). The account that signs is that of the connection
// string. For a URL it is that of AZURE_STORAGE_CONNECTION_STRING or AZURE_TABLES_CONNECTION_STRING, where its endpoint is at
// that very scheme, host and port, as inside of `rocktable exec`; else devstoreaccount1 with the key that everybody
// knows. Variables name no target: what they say may be an account of the cloud. A shared access signature is not
// for control, and not sent. Throws WrongUsage (client/wrong_usage.h), and std::runtime_error where a file or a variable
// cannot be read.
ControlTarget control_target(const std::string& given);

}  // namespace rocktable
