// Opens a store.
#pragma once

#include <memory>

#include "storage/store.h"

namespace rocktable {

// Opens the store that the options name: embedded, or in a database. Throws StoreError.
std::unique_ptr<Store> open_store(const StoreOptions& options);

}  // namespace rocktable
