// For programs without PostgreSQL's client library (STORE_POSTGRES=OFF): all of the store in a database that others
// call.
// The command line refuses --store, so that no such store is opened.
#include "storage/engines/open_store.h"
#include "storage/postgres/database/libpq_version.h"
#include "storage/postgres/store_schema.h"
#include "storage/rocksdb/embedded_store.h"

namespace rocktable {
namespace {

constexpr const char* kRefusal =
    "--store is not in this program, which has no client of PostgreSQL; use the program for Linux, such as in a "
    "container or in WSL";

}  // namespace

std::unique_ptr<Store> open_store(const StoreOptions& options) {
  if (!options.url.empty()) throw StoreError(kRefusal);
  return std::make_unique<EmbeddedStore>(options);
}

std::optional<std::string> refuse_store_url(std::string_view /*url*/) { return kRefusal; }

std::string printable_store_url(const std::string& /*url*/) { return ""; }

std::string libpq_version() { return ""; }

}  // namespace rocktable
