// The table files of a damaged store, each made readable by itself.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rocktable {

// A range of rows of which a file has lost some.
struct LostRange {
  unsigned family = 0;
  std::string file;                 // its name
  std::string before, after;        // keys of the rows around them in the file; empty: there is none
  std::string smallest, largest;    // keys of the file's rows, if the manifest tells; else empty
  std::uint64_t last_sequence = 0;  // the highest number of an operation in the file
};

// A file that has lost deletions of ranges of rows.
struct LostDeletions {
  unsigned family = 0;
  std::string file;
  std::uint64_t last_sequence = 0;
  bool is_certain = true;  // otherwise nobody knows whether it had any
};

struct MendedFiles {
  std::vector<LostRange> lost;
  std::vector<LostDeletions> lost_deletions;
};

// Returns whether the manifest can be read to its end and names every table file that is there.
bool manifest_is_complete(const std::filesystem::path& store);

// Mends each file of the store that the manifest names and RocksDB cannot read, also one that is missing.
// `by_manifest`: with the size that the manifest says, so that the manifest stays right. Otherwise, and if the manifest
// cannot be read: all files that are there. Replaces files, and changes none in place. Throws StoreError.
MendedFiles mend_files(const std::filesystem::path& store, bool by_manifest);

}  // namespace rocktable
