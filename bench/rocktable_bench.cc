// Measures how fast rocktable responds.
//
//  rocktable_bench store [SIZE...]    the store, in this process
//  rocktable_bench http --start rocktable=COMMAND [--start OTHER=COMMAND] [--target OTHER=URL] [SIZE...]
//
// Scenarios over HTTP, one per line. c is the number of connections; SIZE counts entities of about 1 KB:
//
//  start, empty / SIZE stored      from the command to the first response
//  stop                            from SIGTERM to the end of the process
//  memory, idle / after SIZE       resident, after inserting that many entities in transactions of 100
//  disk, an entity                 bytes of all files
//  point of SIZE                   one entity by its whole key; c=1 also with Shared Key and with a SAS
//  range of 100 of SIZE            100 rows of a partition of 10,000
//  partition scan, 10 of 10k       a partition in which a filter on a property matches 10
//  ..., fresh after a restart      the first scan of a started server, after a point read of another table; the
//                                  files are still in the memory of the system
//  table scan, 10 of SIZE          a table in which a filter on a property matches 10, after writes to the store
//  ..., again                      the fifth such scan without a write between them
//  paging through SIZE             a table, page by page
//  conditional update              replaces an entity with the ETag of the previous update
//  transactions of 100             entities per second; c=1: of one partition after the other, c=32: each
//                                  transaction of another partition than the one before
//  insert, insert-or-replace, merge
//  8 points, a replacement, ...    mixed in this proportion
//  p99 of points                   without other load, and beside a table scan that finds nothing (first target)
//  the longest of 60 s             of insert-or-replace by 32 connections (first target)
//  point, insert, c=1              the first target unchanged, with TLS, with --sync
//  delete a table of SIZE
//
// Scenarios of the store: point, row-range, partition-scan, table-scan, delete as above. Bare iteration:
// RocksDB iterates the rows of that table scan without decoding keys and records.
//
// With one connection, client and servers share one core. All targets take turns in all rounds.
//
// The column "client" and "client_share" of the JSON: the CPU time (user and system) of this program while a
// scenario ran, divided by that plus the CPU time of the server's processes. It tells how much of a figure is the
// benchmark itself. The sum of all rounds counts. There is none for a server that was not started here, and for a
// stop.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bench/http_bench.h"
#include "bench/store_bench.h"

namespace rocktable {
namespace {

// Splits NAME=VALUE.
std::pair<std::string, std::string> split(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == 0 || equals == std::string::npos) throw std::invalid_argument("not NAME=VALUE: " + text);
  return {text.substr(0, equals), text.substr(equals + 1)};
}

struct Arguments {
  std::vector<std::size_t> sizes = {1'000, 10'000, 100'000};
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  std::vector<std::string> started, running, largest;
  std::filesystem::path bare_server, json;
  int rounds = 5;
  int stall_seconds = 60;
};

void run_http(const Arguments& arguments) {
  HttpBenchOptions options;
  options.sizes = arguments.sizes;
  options.folder = arguments.folder;
  options.bare_server = arguments.bare_server;
  options.rounds = arguments.rounds;
  options.long_time = std::chrono::seconds(arguments.stall_seconds);
  for (const auto& text : arguments.started) {
    const auto [name, command] = split(text);
    options.targets.push_back(std::make_unique<Endpoint>(name, command, arguments.folder / name));
  }
  for (const auto& text : arguments.running) {
    const auto [name, url] = split(text);
    options.targets.push_back(std::make_unique<Endpoint>(name, url));
  }
  if (options.targets.empty()) throw std::invalid_argument("name a target: --start or --target");
  for (const auto& text : arguments.largest) {
    const auto [name, size] = split(text);
    options.largest[name] = std::stoul(size);
  }
  const Report report = bench_http(std::move(options));
  report.print();
  if (!arguments.json.empty()) std::ofstream(arguments.json) << report.to_json().dump(2) << '\n';
}

int main(int argc, char** argv) {
  CLI::App app("Measures rocktable. Quote numbers of Release builds alone.");
  Arguments arguments;
  app.require_subcommand(1);
  auto* store = app.add_subcommand("store", "The store, in this process");
  auto* http = app.add_subcommand("http", "Servers of the Table protocol, side by side");
  for (auto* command : {store, http}) {
    command->add_option("sizes", arguments.sizes, "Entities of each table, ascending [1000 10000 100000]")
        ->check(CLI::Range(100, 100'000'000).description(""));
    command->add_option("--directory", arguments.folder, "Where the stores go, removed afterwards");
  }
  http->add_option("--start", arguments.started, "NAME=COMMAND; {port} and {location} are replaced")
      ->type_name("TARGET");
  http->add_option("--target", arguments.running, "NAME=http://127.0.0.1:PORT/devstoreaccount1")->type_name("TARGET");
  http->add_option("--largest", arguments.largest, "NAME=SIZE: the largest table of that target")->type_name("SIZE");
  http->add_option("--bareServer", arguments.bare_server, "The program bare_server")->check(CLI::ExistingFile);
  http->add_option("--rounds", arguments.rounds, "Of each measurement [5]")->check(CLI::Range(1, 100).description(""));
  http->add_option("--stallSeconds", arguments.stall_seconds, "Of each load that looks for stalls [60]")
      ->check(CLI::Range(1, 3600).description(""));
  http->add_option("--json", arguments.json, "Writes all figures to FILE")->type_name("FILE");
  CLI11_PARSE(app, argc, argv);

  arguments.folder /= "rocktable-bench-" + std::to_string(::getpid());
  int status = 0;
  try {
    if (store->parsed()) bench_store(arguments.sizes, arguments.folder);
    if (http->parsed()) run_http(arguments);
  } catch (const std::exception& fault) {
    std::cerr << "rocktable_bench: " << fault.what() << '\n';
    status = 1;
  }
  std::filesystem::remove_all(arguments.folder);
  return status;
}

}  // namespace
}  // namespace rocktable

int main(int argc, char** argv) { return rocktable::main(argc, argv); }
