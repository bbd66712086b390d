// The description of a snapshot, and its file beside the database of the snapshot.
//
//   file     := "rocktable snapshot 2\n"  taken (ticks)  "\n"  tables  "\n"  bytes  "\n"  line*
//               checksum of all before  "\n"
//   line     := checksum | "-"  " "  bytes  " "  name  "\n"
//   checksum := CRC-32C, 8 hexadecimal digits
//
// A line describes a file of the database. Table files have no checksum in the line, because each of their
// blocks has one. The first format ends after the third number and does not list files.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/fixture_types.h"

namespace rocktable {

// Prefix of the folder of an unfinished snapshot; not allowed in names.
inline constexpr char kUnfinishedSnapshot = '~';

// The name of the file.
inline constexpr std::string_view kSnapshotDescription = "SNAPSHOT";

inline bool is_table_file(std::string_view name) { return name.ends_with(".sst"); }

struct SnapshotFile {
  std::string name;
  std::uint64_t bytes = 0;
  std::optional<std::uint32_t> checksum;

  bool operator==(const SnapshotFile&) const = default;
};

struct SnapshotDescription {
  SnapshotInfo info;
  std::vector<SnapshotFile> files;  // empty in the first format
};

// Returns whether `name` has at most 64 letters, digits, `-`, `_` and `.`, and begins with a letter or a
// digit. Such a name is a valid name of one folder on every system, and never a path.
bool is_snapshot_name(std::string_view name);

std::string to_text(const SnapshotDescription& description);
// Returns nullopt if `text` is not a description.
std::optional<SnapshotDescription> parse_description(std::string_view name, std::string_view text);

}  // namespace rocktable
