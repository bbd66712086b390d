// Finds the usual client mistake that explains a wrong signature: builds the strings to sign that clients are
// known to build wrongly, signs them with the keys of the account, and compares. Only sentences leave this
// file, no signatures.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/protocol/sas.h"
#include "server/access/authentication_checks.h"
#include "server/request/request.h"
#include "server/request/target.h"

namespace rocktable {

// Returns the mistake as the rest of a sentence that starts with "The client": "signed the string of
// SharedKeyLite". Two mistakes at once are joined by "and". Returns nullopt if no mistake fits.
std::optional<std::string> find_key_mistake(const Request& request, const Target& target, bool secure,
                                            const Credentials& credentials, const std::vector<std::string>& keys);
std::optional<std::string> find_sas_mistake(const SasParameters& sas, const Target& target,
                                            const std::vector<std::string>& keys);

}  // namespace rocktable
