#pragma once

#include <string>

namespace rocktable {

// The version of the RocksDB in this program: `7.8.3`.
std::string engine_version();

}  // namespace rocktable
