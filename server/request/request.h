// One HTTP request as the connection reads it.
#pragma once

#include <string>
#include <string_view>

#include "odata/protocol/headers.h"

namespace rocktable {

// The services of an account. Each port serves one of them.
enum class StorageService { Table, Blob, Queue };

// Views of the connection's buffers, valid until the response has been written.
struct Request {
  std::string_view method;
  std::string_view target;  // raw, still percent-encoded
  Headers headers;
  const std::string* body = nullptr;  // never null once the request is complete
  std::string_view remote_address;
  StorageService service = StorageService::Table;
  const void* connection = nullptr;  // identifies the connection; only compared
  // The method, the target, and `NAME: VALUE\r` of each header, as they follow each other in memory; empty if they do
  // not.
  std::string_view head = {};
};

}  // namespace rocktable
