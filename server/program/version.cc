#include "server/program/version.h"

#include <openssl/crypto.h>

#include "storage/postgres/database/libpq_version.h"
#include "storage/rocksdb/database/engine_version.h"

namespace rocktable {

std::string version_report() {
  std::string out = "rocktable " ROCKTABLE_VERSION " (";
#ifdef ROCKTABLE_COMMIT
  out += "commit " ROCKTABLE_COMMIT ", ";
#endif
  out += "RocksDB " + engine_version() + ", ";
  if (const std::string version = libpq_version(); !version.empty()) out += "libpq " + version + ", ";
  return out + "OpenSSL " + OpenSSL_version(OPENSSL_VERSION_STRING) + ")";
}

}  // namespace rocktable
