#include "storage/postgres/database/libpq_version.h"

#include <libpq-fe.h>

namespace rocktable {

std::string libpq_version() {
  const int version = PQlibVersion();  // 150018
  return std::to_string(version / 10000) + '.' + std::to_string(version % 10000);
}

}  // namespace rocktable
