#pragma once

#include <string>

namespace rocktable {

// Returns `rocktable 0.1.0 (RocksDB 7.8.3, libpq 15.18, OpenSSL 3.0.17)`; in the static program of the packages also
// its commit.
std::string version_report();

}  // namespace rocktable
