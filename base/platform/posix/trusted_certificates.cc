#include "base/platform/trusted_certificates.h"

namespace rocktable {

std::vector<std::string> trusted_certificates() { return {}; }

}  // namespace rocktable
