// Which of the usual mistakes explains a signature that does not fit: strings to sign as clients are known to get
// them wrong are signed with the account's keys and compared. Only sentences leave this file, no signature.
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

// What the client signed otherwise than the service, as the rest of a sentence that starts with "The client":
// "signed the string of SharedKeyLite"; two mistakes at once with "and" between them. Nothing where none fits.
std::optional<std::string> find_key_mistake(const Request& request, const Target& target, bool secure,
                                            const Credentials& credentials,
                                            const std::vector<std::string>& keys);
std::optional<std::string> find_sas_mistake(const SasParameters& sas, const Target& target,
                                            const std::vector<std::string>& keys);

}  // namespace rocktable
