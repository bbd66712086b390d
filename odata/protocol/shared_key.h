// Shared Key and Shared Key Lite: the strings to sign, and the signing itself.
// Source: learn.microsoft.com/rest/api/storageservices/authorize-with-shared-key
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "odata/protocol/headers.h"

namespace rocktable {

// The parts of a request that are signed. Views of the request's own bytes.
struct SignedRequest {
  std::string_view method;        // upper case, as on the wire (POST where X-HTTP-Method tunnels another)
  std::string_view content_md5;   // the header's value, or empty
  std::string_view content_type;  // the header's value, or empty
  std::string_view date;          // x-ms-date if present, else Date
  std::string_view target;        // raw request target, still percent-encoded: /devstoreaccount1/Tables?$top=1
};

// Returns `/account` + the target's path as sent + `?comp=value` if the query has comp. With path-style URLs
// the account therefore occurs twice.
//
// For a target in absolute form (http://host/path) only the path counts; an empty path is `/`. The name comp
// compares without regard to case. The first comp counts, with its value percent-decoded; an empty value
// counts as none. Code that routes by comp must use the first one, too, because no other part of the query is
// signed.
std::string canonicalized_resource(std::string_view account, std::string_view target);

// VERB \n Content-MD5 \n Content-Type \n Date \n CanonicalizedResource
std::string shared_key_string_to_sign(std::string_view account, const SignedRequest& request);

// Date \n CanonicalizedResource
std::string shared_key_lite_string_to_sign(std::string_view account, const SignedRequest& request);

// The strings to sign for requests to blobs and queues:
//
//  Shared Key       VERB \n eleven standard headers, each \n; x-ms-... headers; /account, the path as sent,
//                   and each parameter of the query as \n name:value, names in lower case and sorted,
//                   values decoded
//  Shared Key Lite  VERB \n Content-MD5 \n Content-Type \n Date \n; x-ms-... headers;
//                   canonicalized_resource()
//
// Date is empty if there is an x-ms-date. Content-Length is empty if it is 0. `target` as in SignedRequest.
std::string blob_and_queue_string_to_sign(std::string_view account, std::string_view method, std::string_view target,
                                          const Headers& headers);
std::string blob_and_queue_lite_string_to_sign(std::string_view account, std::string_view method,
                                               std::string_view target, const Headers& headers);

// An account key for signing with HMAC-SHA256. The key is set up once, because that takes as long as a signature.
// Thread-safe.
class AccountKey {
 public:
  // `base64` is the key as connection strings contain it. Throws std::invalid_argument if it is empty or not
  // base64.
  explicit AccountKey(std::string_view base64);
  ~AccountKey();
  AccountKey(AccountKey&&) noexcept;
  AccountKey& operator=(AccountKey&&) noexcept;

  // Returns base64(HMAC-SHA256(key, text)).
  std::string sign(std::string_view text) const;

  // Returns whether this is the signature of the text, in a time that depends only on the lengths.
  bool has_signed(std::string_view text, std::string_view signature) const;

 private:
  struct Hmac;
  using Signature = std::array<char, base64_length(32)>;  // base64 of a SHA-256

  Signature signature_of(std::string_view text) const;

  std::unique_ptr<Hmac> hmac_;
};

// Compares in a time that depends only on the lengths.
bool equal_in_constant_time(std::string_view a, std::string_view b);

}  // namespace rocktable
