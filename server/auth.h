// Who may do this: Shared Key and Shared Key Lite.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"
#include "server/request.h"
#include "server/target.h"

namespace rocktable {

// The account that every emulator has, and its public key.
inline constexpr std::string_view kDevelopmentAccount = "devstoreaccount1";
inline constexpr std::string_view kDevelopmentKey =
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==";

// Account names and their keys (base64, one or two).
using Accounts = std::map<std::string, std::vector<std::string>, std::less<>>;

class Authenticator {
 public:
  explicit Authenticator(Accounts accounts) : accounts_(std::move(accounts)) {}

  // Lets the request pass, or says why not. Thread-safe.
  //
  // Errors: ResourceNotFound (no such account), NoAuthenticationInformation (no credentials),
  // InvalidAuthenticationInfo (no or an unknown scheme), AuthenticationFailed (signature, account, or a date that is
  // missing or more than 15 minutes off), NotImplemented (a shared access signature or a bearer token).
  Result<void> authenticate(const Request& request, const Target& target, DateTime now) const;

 private:
  Accounts accounts_;
};

}  // namespace rocktable
