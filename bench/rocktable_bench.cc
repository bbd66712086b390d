// How fast rocktable answers. Scenarios, a line each:
//
//   point            one entity by its whole key
//   row-range        100 rows of a partition of 10,000
//   partition-scan   a partition of 10,000, of which a filter on a property keeps 10
//   table-scan       the whole table, of which a filter on a property keeps 10
//   bare iteration   the rows of that table scan by RocksDB itself, keys and records untouched (store alone)
//   delete           a table with all its entities
//   fairness         point reads of 32 connections, alone and beside a table scan that finds nothing (http alone)
//   memory           of the server, how much it grows while a table is scanned (http alone)
//
// Both kinds run point and row-range of all sizes in turn, and tell how much longer they take in larger tables.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#include "bench/http_bench.h"
#include "bench/store_bench.h"

int main(int argc, char** argv) {
  CLI::App app("Measures rocktable. Quote numbers of Release builds alone.");
  std::vector<std::size_t> sizes = {1'000, 10'000, 100'000};
  std::filesystem::path folder = std::filesystem::temp_directory_path(), server;
  app.require_subcommand(1);
  auto* store = app.add_subcommand("store", "The store, in this process");
  auto* http = app.add_subcommand("http", "The emulator, over HTTP");
  for (auto* command : {store, http}) {
    command->add_option("sizes", sizes, "Entities of each table, ascending [1000 10000 100000]")
        ->check(CLI::Range(100, 100'000'000).description(""));
    command->add_option("--directory", folder,
                        "Where the stores go, about 1 KB an entity; removed afterwards");
  }
  http->add_option("--server", server, "The program to measure")->required()->check(CLI::ExistingFile);
  CLI11_PARSE(app, argc, argv);

  folder /= "rocktable-bench-" + std::to_string(::getpid());
  int status = 0;
  try {
    if (store->parsed()) rocktable::bench_store(sizes, folder);
    if (http->parsed()) rocktable::bench_http(server, sizes, folder);
  } catch (const std::exception& fault) {
    std::cerr << "rocktable_bench: " << fault.what() << '\n';
    status = 1;
  }
  std::filesystem::remove_all(folder);
  return status;
}
