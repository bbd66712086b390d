// What is told of a snapshot, and the file beside its database that says it.
//
//   file := "rocktable snapshot 1\n"  taken (ticks)  "\n"  tables  "\n"  bytes  "\n"     (numbers in decimal)
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/table_store.h"

namespace rocktable {

// Letters, digits, `-`, `_` and `.`; the first one a letter or a digit; 64 at most: a name of one folder on every
// system, and of no path.
bool is_snapshot_name(std::string_view name);

std::string to_description(const SnapshotInfo& info);
// Nothing where it is none.
std::optional<SnapshotInfo> parse_description(std::string_view name, std::string_view text);

}  // namespace rocktable
