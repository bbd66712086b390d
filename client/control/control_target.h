// The rocktable that a command controls, and the account that signs the requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "client/http_url.h"

namespace rocktable {

struct ControlTargetOptions {
  std::string connection = "http://127.0.0.1:10002";  // connection string, URL, or a reference to one
  std::string ca_file;                                // trusted certificates in addition to the system's; empty: none
};

struct ControlTarget {
  HttpUrl origin;  // without path and query
  std::string account_name, account_key;
  bool account_is_given = false;  // false: the well-known account
};

// `given` is a connection string, a URL, or a reference to one of these (client/secret.h). For a connection
// string, its account signs. For a URL, the account of AZURE_STORAGE_CONNECTION_STRING or
// AZURE_TABLES_CONNECTION_STRING signs if its endpoint has the same scheme, host and port, as inside of
// `rocktable exec`; otherwise devstoreaccount1 with the well-known key. The variables never select the
// target, because they may refer to an account in the cloud. A shared access signature cannot authorize
// control requests and is not sent. Throws UsageError (client/usage_error.h), and std::runtime_error if a
// file or a variable cannot be read.
ControlTarget resolve_control_target(const std::string& given);

}  // namespace rocktable
