// Finds the usual mistakes in signing a user delegation SAS.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/protocol/sas.h"
#include "server/access/delegation/delegation_keys.h"

namespace rocktable {

// Returns a predicate of which the client is the subject: `signed 18 lines, without that of sduoid (line 12)`. nullopt if
// no mistake explains the signature. Requires check_delegation_form(). `account_keys`: base64.
std::optional<std::string> find_delegation_mistake(const SasParameters& sas, std::string_view account,
                                                   const DelegationKeys& keys,
                                                   const std::vector<std::string>& account_keys);

}  // namespace rocktable
