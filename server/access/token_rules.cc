#include "server/access/token_rules.h"

namespace rocktable {

Result<BearerClaims> check_token(const TokenRules& rules, std::string_view token, std::string_view account,
                                 DateTime now) {
  auto claims = parse_bearer_token(token);
  if (!claims) return claims.error();
  if (rules.check_signature)
    if (const auto is_signed = rules.check_signature(token, *claims); !is_signed) return is_signed.error();
  if (const auto fits = check_claims(*claims, account, now); !fits) return fits.error();
  return claims;
}

}  // namespace rocktable
