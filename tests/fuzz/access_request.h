// A request made of the lines of a fuzzer's input, and an authenticator with a random key.
//
// The lines are: method, target, host, Authorization, x-ms-date, Date, Content-Type, Content-MD5. Missing
// lines are empty.
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/base64.h"
#include "odata/protocol/shared_key.h"
#include "server/access/authenticator.h"
#include "tests/fuzz/require.h"

namespace rocktable {

inline const DateTime kFuzzNow = parse_date_time("2021-05-22T23:05:14Z").value();

// Returns 32 random bytes, which no input can contain.
inline std::string random_key() {
  std::random_device random;
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(random());
  return encode_base64(bytes);
}

inline const std::string& fuzz_key() {
  static const std::string kKey = random_key();
  return kKey;
}

inline std::string fuzz_sign(std::string_view text) {
  static const AccountKey kSigner(fuzz_key());
  return kSigner.sign(text);
}

inline std::vector<SignedIdentifier> fuzz_identifiers(std::string_view, std::string_view) {
  return {{"policy", std::nullopt, DateTime{kFuzzNow.ticks + 1}, "r"}};
}

inline const Authenticator& fuzz_authenticator() {
  static const Authenticator kAuthenticator({{"acc", {fuzz_key()}}}, fuzz_identifiers, {.accepted = true});
  return kAuthenticator;
}

struct FuzzRequest {
  std::string method, target, host, authorization, x_ms_date, date, content_type, content_md5;
  std::string no_body = {};

  Request request() const {
    Request out{method, target, {}, &no_body, "127.0.0.1"};
    for (const auto& [name, value] :
         {std::pair{"Authorization", &authorization}, std::pair{"x-ms-date", &x_ms_date}, std::pair{"Date", &date},
          std::pair{"Content-Type", &content_type}, std::pair{"Content-MD5", &content_md5}})
      if (!value->empty()) out.headers.add(name, *value);
    return out;
  }

  // Returns nullopt if the URL names no account.
  std::optional<Target> where() const {
    auto out = parse_target(target, host, false, true);
    return out ? std::optional(std::move(*out)) : std::nullopt;
  }
};

inline FuzzRequest request_of(const std::vector<std::string>& lines) {
  return {lines[0], lines[1], lines[2], lines[3], lines[4], lines[5], lines[6], lines[7]};
}

}  // namespace rocktable
