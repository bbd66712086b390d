// RocksDB by itself, beside the store: what a scan cannot be faster than.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

namespace rocktable {

// Brings the files of a store that is closed into their final order, so that whatever is measured afterwards is
// not measured while RocksDB tidies up.
void compact_store(const std::filesystem::path& directory);

// Iterates a table as a table scan does, without looking at keys or records. The store may be open, as long as nobody
// writes.
class BareIteration {
 public:
  // `table`: how many tables were created before it, plus one.
  explicit BareIteration(const std::filesystem::path& directory, std::uint64_t table = 1);
  ~BareIteration();
  BareIteration(const BareIteration&) = delete;
  BareIteration& operator=(const BareIteration&) = delete;

  // The number of rows.
  std::uint64_t run();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Writes rows of 1 KB in batches of a hundred, in order, with the log and without a look at what is there, to a new
// database with the options of the store in `directory` (closed). Returns rows a second.
double bare_write_rate(const std::filesystem::path& directory, const std::filesystem::path& new_directory,
                       std::size_t batches);

}  // namespace rocktable
