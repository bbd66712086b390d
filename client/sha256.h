// SHA-256 digests, computed by OpenSSL.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace rocktable {

using Sha256 = std::array<unsigned char, 32>;

// Throws std::runtime_error if OpenSSL fails.
Sha256 sha256(std::string_view bytes);

// The same as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

}  // namespace rocktable
