// Shared Key and Shared Key Lite: what is signed, and with what.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "odata/protocol/headers.h"

namespace rocktable {

// What of a request is signed. Views of the request's own bytes.
struct SignedRequest {
  std::string_view method;        // upper case, as on the wire (POST where X-HTTP-Method tunnels another)
  std::string_view content_md5;   // of the header, else empty
  std::string_view content_type;  // of the header, else empty
  std::string_view date;          // x-ms-date where there is one, else Date
  std::string_view target;  // raw request target, still percent-encoded: /devstoreaccount1/Tables?$top=1
};

// `/account` + the target's path as sent + `?comp=value` where the query has comp. In path style the account
// so stands twice.
//
// Of a target in absolute form (http://host/path) the path alone counts; an empty path is `/`. The name comp
// is found without regard to case; the first one counts, its value percent-decoded; an empty value counts as
// none. Who routes by comp must look at the first one, too: no other part of the query is signed.
std::string canonicalized_resource(std::string_view account, std::string_view target);

// VERB \n Content-MD5 \n Content-Type \n Date \n CanonicalizedResource
std::string shared_key_string_to_sign(std::string_view account, const SignedRequest& request);

// Date \n CanonicalizedResource
std::string shared_key_lite_string_to_sign(std::string_view account, const SignedRequest& request);

// What is signed where blobs and queues are meant:
//
//   Shared Key       VERB \n eleven standard headers, each \n; headers x-ms-...; /account, the path as sent, and each
//                    parameter of the query as \n name:value, names in lower case and sorted, values decoded
//   Shared Key Lite  VERB \n Content-MD5 \n Content-Type \n Date \n; headers x-ms-...; canonicalized_resource()
//
// Date is empty beside an x-ms-date, and Content-Length is where it is 0. `target` as in SignedRequest.
std::string blob_and_queue_string_to_sign(std::string_view account, std::string_view method,
                                          std::string_view target, const Headers& headers);
std::string blob_and_queue_lite_string_to_sign(std::string_view account, std::string_view method,
                                               std::string_view target, const Headers& headers);

// An account key, ready to sign. HMAC-SHA256 with the key set once: 0.25 us a signature against 1 us. Not
// thread-safe: one per thread.
class AccountKey {
 public:
  // `base64` is the key as connection strings carry it. Throws std::invalid_argument where it is not base64
  // or is empty, std::runtime_error where OpenSSL fails.
  explicit AccountKey(std::string_view base64);
  ~AccountKey();
  AccountKey(AccountKey&&) noexcept;
  AccountKey& operator=(AccountKey&&) noexcept;

  // base64(HMAC-SHA256(key, text)). Throws std::runtime_error where OpenSSL fails.
  std::string sign(std::string_view text) const;

 private:
  struct Hmac;
  std::unique_ptr<Hmac> hmac_;
};

// Compares in a time that depends on the lengths alone.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace rocktable
