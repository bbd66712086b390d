// RocksDB by itself, beside the store: what a scan cannot be faster than.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

namespace rocktable {

// Brings the files of a store that is closed into their final order, so that whatever is measured afterwards is
// not measured while RocksDB tidies up.
void compact_store(const std::filesystem::path& directory);

// Iterates a store's only table as a table scan does, without looking at keys or records. The store may be open,
// as long as nobody writes.
class BareIteration {
 public:
  explicit BareIteration(const std::filesystem::path& directory);
  ~BareIteration();
  BareIteration(const BareIteration&) = delete;
  BareIteration& operator=(const BareIteration&) = delete;

  // The number of rows.
  std::uint64_t run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rocktable
