// How fast the store answers, in this process, and how that grows with the table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rocktable {

// Prints a table of all scenarios (rocktable_bench.cc) for tables of these sizes, ascending. Queries are what the service
// makes of them: $filter text, plan, scan, evaluation; nothing is rendered. Each size has a store of its own in `folder`,
// closed and opened once after it was filled. Point and row-range take turns over all sizes, table scan and bare iteration
// with each other, so that whatever else the machine does spoils all alike.
void bench_store(const std::vector<std::size_t>& sizes, const std::filesystem::path& folder);

}  // namespace rocktable
