// A folder that the destructor removes.
#pragma once

#include <filesystem>
#include <string>

#include "base/platform/folders.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable {

class TemporaryFolder {
 public:
  TemporaryFolder() : path_(make_temporary_folder("rocktable")) {}
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  // Options of a store in a folder that does not exist yet, nor does its parent.
  StoreOptions store(bool sync = false) const { return {path_ / "new" / "store", false, sync}; }

 private:
  std::filesystem::path path_;
};

// Returns the message of the error when opening the store, or an empty string.
inline std::string refusal_to_open(const StoreOptions& options) {
  try {
    const OpenedStore store(options);
  } catch (const StoreError& error) {
    return error.what();
  }
  return "";
}

}  // namespace rocktable
