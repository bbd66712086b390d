#include "storage/engines/open_store.h"

#include "storage/postgres/postgres_store.h"
#include "storage/rocksdb/embedded_store.h"

namespace rocktable {

std::unique_ptr<Store> open_store(const StoreOptions& options) {
  if (!options.url.empty()) return std::make_unique<PostgresStore>(options);
  return std::make_unique<EmbeddedStore>(options);
}

}  // namespace rocktable
