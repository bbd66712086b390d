// Any bytes as a bearer token, and as the payload of one: refused with a sentence, or five valid claims.
#include <algorithm>
#include <string>

#include "base/base64.h"
#include "odata/protocol/bearer_token.h"
#include "tests/fuzz/invariants.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

const DateTime kNow = parse_date_time("2021-05-22T23:05:14Z").value();

void check_token(const std::string& token) {
  const auto claims = parse_bearer_token(token);
  if (!claims) {
    require(claims.error().code == ErrorCode::AuthenticationFailed && !claims.error().message.empty(),
            "a refusal of another code, or without a sentence");
    return;
  }
  require(std::count(token.begin(), token.end(), '.') == 2, "a token of other than three parts");
  for (const DateTime time : {claims->not_before, claims->expiry, claims->issued_at})
    require(time >= kUnixEpoch && time <= kMaxDateTime, "a time out of range");
  const auto fits = check_claims(*claims, "acc", kNow);
  if (!fits) {
    require(fits.error().code == ErrorCode::InvalidBearerToken && !fits.error().message.empty(),
            "claims are refused with another code");
    return;
  }
  require(claims->not_before <= kNow && kNow <= claims->expiry, "a token outside of its lifetime");
  require(claims->issuer.starts_with("https://"), "an issuer that is none");
  require(std::any_of(claims->audiences.begin(), claims->audiences.end(),
                      [](const std::string& audience) {
                        return audience.starts_with("https://storage.azure.com") ||
                               audience.starts_with("https://acc.table.core.") ||
                               audience == "e406a681-f3d4-42a8-90b6-c2b029497af1";
                      }),
          "a token for somebody else");
}

std::string base64_url(std::string_view bytes) {
  std::string out = encode_base64(bytes);
  std::replace(out.begin(), out.end(), '+', '-');
  std::replace(out.begin(), out.end(), '/', '_');
  return out;
}

}  // namespace

void fuzz_token(std::string_view input) {
  check_token(std::string(input));
  check_token(base64_url("{}") + "." + base64_url(input) + ".");
  check_token(base64_url(input) + "." + base64_url(input) + "." + base64_url(input));
}

}  // namespace rocktable
