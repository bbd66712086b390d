// Compares the speed of servers of the Table protocol over HTTP, and how it depends on the size of the table.
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
  std::map<std::string, std::size_t> largest;  // largest table of a target, by name; default: all sizes
  std::vector<std::size_t> sizes;              // of the tables, in entities, ascending
  std::filesystem::path folder;
  std::filesystem::path bare_server;  // bare_server; empty: leaves out that row
  int rounds = 5;
  std::chrono::milliseconds round_time{2000};  // for each load of many connections
  std::chrono::seconds long_time{60};          // for each load that looks for stalls
};

// Runs all scenarios of rocktable_bench.cc on all targets in turn, round by round. Throws std::runtime_error
// if a target sends an unexpected response.
Report bench_http(HttpBenchOptions options);

}  // namespace rocktable
