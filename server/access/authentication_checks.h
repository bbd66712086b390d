// The single checks of authenticate(), for who explains a refusal (refusal_explanation.h) and for the control
// surface (control_access.h). They are authenticator.cc's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"
#include "odata/protocol/headers.h"
#include "odata/protocol/sas.h"
#include "server/access/signed_identifiers.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

// What stands before the first blank of an Authorization header, or all of it.
std::string_view scheme_of(std::string_view authorization);

// `SharedKey account:signature`, `SharedKeyLite account:signature`.
struct Credentials {
  bool lite;
  std::string_view account;
  std::string_view signature;
};

// Errors: InvalidAuthenticationInfo.
Result<Credentials> parse_credentials(std::string_view authorization);

// The token of `Bearer token`; nothing where the scheme is another one.
std::optional<std::string_view> bearer_token_of(std::string_view authorization);

// The account itself, or its secondary location's name.
bool names_account(const Credentials& credentials, const Target& target);

// x-ms-date, or Date where there is none.
std::string_view date_of(const Headers& headers);
bool is_current(std::string_view date, DateTime now);

// The targets that clients sign: the one they sent; in path style, that of the primary location in place of the
// secondary's, or without it where it stands before the primary's (see parse_target); all with literal quotes.
std::vector<std::string> signed_targets(const Request& request, const Target& target);

bool is_signed(std::string_view text, std::string_view signature, const std::vector<std::string>& keys);

// A row key bounds a partition that is named: ignored, it would open what its owner meant to close.
bool has_whole_bounds(const SasParameters& sas);

// Takes what the stored access policy adds; each field may stand in one of the two places alone.
bool apply_policy(const SignedIdentifier& policy, SasParameters& sas);

// What a SAS cannot do without, its policy's part included; the expiry is missed where it is read.
bool is_complete(const SasParameters& sas);

// A start is optional; an expiry is not.
bool is_in_time(const SasParameters& sas, DateTime now);

// `sip`: an address or `first-last`. The service knows IPv4 alone; the IPv6 loopback counts as 127.0.0.1.
bool is_allowed_ip(const std::string& allowed, std::string_view remote);

}  // namespace rocktable
