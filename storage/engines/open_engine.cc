// Chooses the engine of a store.
#include <memory>

#include "storage/postgres/postgres_engine.h"
#include "storage/rocksdb/rocks_engine.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

std::shared_ptr<StoreEngine> open_engine(const StoreOptions& options) {
  if (!options.url.empty()) return std::make_shared<PostgresEngine>(options);
  return std::make_shared<RocksEngine>(options);
}

}  // namespace

TableStore::TableStore(const StoreOptions& options) : engine_(open_engine(options)) {}

}  // namespace rocktable
