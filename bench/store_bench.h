// Measures how fast the store responds, in this process, and how that depends on the size of the table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rocktable {

// Prints a table of all scenarios (rocktable_bench.cc) for tables of these sizes, ascending. Queries run as
// in the service: $filter text, plan, scan, evaluation; nothing is rendered. Each size has a store of its own
// in `folder`, which is closed and reopened once after it is filled. Point and row-range take turns over all
// sizes, and so do table scan and bare iteration, so that other load on the machine affects all of them
// equally.
void bench_store(const std::vector<std::size_t>& sizes, const std::filesystem::path& folder);

}  // namespace rocktable
