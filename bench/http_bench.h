// How fast the emulator answers over HTTP, and how that grows with the table.
#pragma once

#include <cstddef>
#include <filesystem>
#include <vector>

namespace rocktable {

// Prints a table of all scenarios (rocktable_bench.cc) for tables of these sizes, ascending. Each size has an emulator, the
// program `server`, and a store of its own in `folder`. Throws std::runtime_error where an answer is not what was asked for.
void bench_http(const std::filesystem::path& server, const std::vector<std::size_t>& sizes,
                const std::filesystem::path& folder);

}  // namespace rocktable
