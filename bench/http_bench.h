// How fast servers of the Table protocol answer over HTTP, side by side, and how that grows with the table.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/endpoint.h"
#include "bench/report.h"

namespace rocktable {

struct HttpBenchOptions {
  std::vector<std::unique_ptr<Endpoint>> targets;
  std::map<std::string, std::size_t> largest;  // table of a target, by name; else all sizes
  std::vector<std::size_t> sizes;              // of the tables, in entities, ascending
  std::filesystem::path folder;
  std::filesystem::path bare_server;  // the program; empty: without that limit
  int rounds = 5;
  std::chrono::milliseconds round_time{2000};  // of each load of many connections
  std::chrono::seconds long_time{60};          // of the one that looks for stalls
};

// All scenarios of rocktable_bench.cc on all targets in turn, round by round. Throws std::runtime_error where a target does
// not answer as it should.
Report bench_http(HttpBenchOptions options);

}  // namespace rocktable
