// Why a store cannot be opened.
#pragma once

#include <stdexcept>

namespace rocktable {

// The store cannot be opened. The message is a sentence for the user. No data was damaged.
class StoreError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Files of the store are missing or damaged. repair_store() (storage/repair/repair.h) saves the readable
// data.
class DamagedStore : public StoreError {
 public:
  using StoreError::StoreError;
};

}  // namespace rocktable
