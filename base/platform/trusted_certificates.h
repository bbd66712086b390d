// The certificates of the authorities that the system trusts, where they are in no files.
#pragma once

#include <string>
#include <vector>

namespace rocktable {

// Each in DER form. Empty where systems keep them in files (client/system_authorities.h).
std::vector<std::string> trusted_certificates();

}  // namespace rocktable
