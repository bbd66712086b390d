// Parses what identifies an account and authorizes requests: connection strings, and URLs with a shared
// access signature.
// Source: learn.microsoft.com/azure/storage/common/storage-configure-connection-string
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "client/http_url.h"

namespace rocktable {

// what() is a sentence for the user. It never contains a key or a signature.
class ConnectionStringError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The table endpoint of an account. Exactly one of account_key and shared_access_signature is set.
struct TableEndpoint {
  HttpUrl url;                          // no trailing slash, no query: http://127.0.0.1:10002/devstoreaccount1
  std::string account_name;             // empty if a signature is used and neither string nor URL contains the name
  std::string account_key;              // base64
  std::string shared_access_signature;  // the raw query, without `?`
  std::string table;                    // the only table that the signature permits; empty if it does not name one

  // `http://127.0.0.1:10002/devstoreaccount1`. Contains no secret.
  std::string address() const { return url.origin() + url.path; }
};

// Parses one of
//
//   UseDevelopmentStorage=true[;DevelopmentStorageProxyUri=http://HOST]
//   [DefaultEndpointsProtocol=https;]AccountName=..;AccountKey=..[;EndpointSuffix=core.windows.net]
//   TableEndpoint=..;AccountName=..;AccountKey=..
//   TableEndpoint=..;SharedAccessSignature=..   or AccountName in place of TableEndpoint
//   https://ACCOUNT.table.core.windows.net/[TABLE]?sv=..&sig=..
//
// Names are case-insensitive. Settings for other services are ignored. Throws ConnectionStringError.
TableEndpoint parse_connection_string(std::string_view text);

}  // namespace rocktable
