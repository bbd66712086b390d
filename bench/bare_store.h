// RocksDB without the store: the upper limit for the speed of a scan.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace rocktable {

// Compacts the files of a closed store, so that compactions of RocksDB do not disturb later measurements.
void compact_store(const std::filesystem::path& directory);

// Iterates a table as a table scan does, without decoding keys and records. The store may be open if nothing
// writes to it.
class BareIteration {
 public:
  // `table`: the number of tables created before it, plus one.
  explicit BareIteration(const std::filesystem::path& directory, std::uint64_t table = 1);
  ~BareIteration();
  BareIteration(const BareIteration&) = delete;
  BareIteration& operator=(const BareIteration&) = delete;

  // Returns the number of rows.
  std::uint64_t run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes rows of 1 KB in batches of a hundred, in order, with the log and without reading existing rows.
// Writes to a new database with the options of the store in `directory` (closed). Returns rows per second.
double bare_write_rate(const std::filesystem::path& directory, const std::filesystem::path& new_directory,
                       std::size_t batches);

}  // namespace rocktable
