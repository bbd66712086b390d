#pragma once

#include <string>
#include <string_view>

namespace rocktable::migration {

// In hex. Throws std::runtime_error where OpenSSL fails.
std::string sha256(std::string_view text);

}  // namespace rocktable::migration
