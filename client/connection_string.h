// Where a table account is and how requests for it are signed: connection strings and URLs with a shared access
// signature.
// Source: learn.microsoft.com/azure/storage/common/storage-configure-connection-string
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "client/http_url.h"

namespace rocktable {

// A sentence that says what is wrong. Never holds a key or a signature.
class ConnectionStringError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// An account's table endpoint. Either a key or a shared access signature is there, never both.
struct TableEndpoint {
  HttpUrl url;  // path without slash at the end, no query: http://127.0.0.1:10002/devstoreaccount1
  std::string account_name;  // empty where a signature is used and neither string nor URL names the account
  std::string account_key;   // base64
  std::string shared_access_signature;  // raw query without `?`
  std::string table;                    // the only one that the signature is for; empty: it says none

  // `http://127.0.0.1:10002/devstoreaccount1`: tells where, and no secret.
  std::string address() const { return url.origin() + url.path; }
};

// Reads one of
//
//   UseDevelopmentStorage=true[;DevelopmentStorageProxyUri=http://HOST]
//   [DefaultEndpointsProtocol=https;]AccountName=..;AccountKey=..[;EndpointSuffix=core.windows.net]
//   TableEndpoint=..;AccountName=..;AccountKey=..
//   TableEndpoint=..;SharedAccessSignature=..   or with AccountName for TableEndpoint
//   https://ACCOUNT.table.core.windows.net/[TABLE]?sv=..&sig=..
//
// Names of parts count without regard to case; parts for other services are passed over. Throws
// ConnectionStringError.
TableEndpoint parse_connection_string(std::string_view text);

}  // namespace rocktable
