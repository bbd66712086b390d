// How fast the store answers, and how that grows with the table. Scenarios, a line each:
//
//   point            one entity by its whole key
//   row-range        100 rows of a partition of 10,000
//   partition-scan   a partition of 10,000, of which a filter on a property keeps 10
//   table-scan       the whole table, of which a filter on a property keeps 10
//   bare iteration   the rows of that table scan by RocksDB itself, keys and records untouched
//   delete           a table with all its entities
//
// Entities are of about 1 KB, with ten properties of all types. Queries are what the service makes of them: $filter
// text, plan, scan, evaluation; nothing is rendered. Each size has a store of its own on disk, closed and opened
// once after it was filled. Point and row-range take turns over all sizes, table scan and bare iteration with each
// other, so that whatever else the machine does spoils all alike.
//
// To come: the same over HTTP.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "bench/bare_iteration.h"
#include "odata/filter_parser.h"
#include "odata/query_plan.h"
#include "storage/table_store.h"

namespace rocktable {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

constexpr TableName kTable{"bench", "entities"};
constexpr std::size_t kPartitionRows = 10'000;
constexpr std::size_t kRangeRows = 100;
constexpr std::size_t kKept = 10;

// --- Entities ----------------------------------------------------------------------------------------------

std::string padded(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - std::min<std::size_t>(8, digits.size()), '0') + digits;
}

std::string partition_of(std::size_t number) { return "partition" + padded(number / kPartitionRows); }
std::string row_of(std::size_t number) { return "row" + padded(number % kPartitionRows); }

std::string filler(std::size_t size, std::size_t seed) {
  std::string out(size, ' ');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + (seed + i * 7) % 26);
  return out;
}

Properties properties_of(std::size_t number) {
  Guid guid;
  for (std::size_t i = 0; i < guid.bytes.size(); ++i)
    guid.bytes[i] = static_cast<std::uint8_t>(number >> i % 8);
  return {{"Active", number % 2 == 0},
          {"Blob", Binary{filler(180, number + 3)}},
          {"Born", DateTime{637'000'000'000'000'000 + static_cast<std::int64_t>(number)}},
          {"Bucket", static_cast<std::int32_t>(number % (kPartitionRows / kKept))},
          {"Id", guid},
          {"Name", filler(40, number)},
          {"Note", filler(220, number + 1)},
          {"Ratio", static_cast<double>(number) / 7},
          {"Text", filler(420, number + 2)},
          {"Total", static_cast<std::int64_t>(number)}};
}

void fill(TableStore& store, std::size_t entities) {
  store.create_table(kTable).value();
  std::vector<Write> writes;
  for (std::size_t i = 0; i < entities; ++i) {
    writes.push_back({WriteKind::Insert, row_of(i), {}, properties_of(i)});
    if (writes.size() < 100 && i + 1 < entities) continue;
    store.commit(kTable, partition_of(i), writes).value();
    writes.clear();
  }
}

// --- Queries -----------------------------------------------------------------------------------------------

RequestStats query(const TableStore& store, const std::string& text) {
  const std::optional<Filter> filter = parse_filter(text).value();
  const QueryPlan plan = plan_query(filter);
  RequestStats stats;
  const auto visit = [&](const EntityView& entity) { return matches(*filter, entity); };
  store.scan(kTable, plan.ranges, 1'000'000'000, Clock::now() + std::chrono::hours(1), visit, &stats).value();
  return stats;
}

RequestStats get(const TableStore& store, std::size_t number) {
  RequestStats stats;
  store.get(kTable, {partition_of(number), row_of(number)}, [](const EntityView&) {}, &stats).value();
  return stats;
}

RequestStats row_range(const TableStore& store, std::size_t first) {
  return query(store, "PartitionKey eq '" + partition_of(first) + "' and RowKey ge '" + row_of(first) +
                          "' and RowKey lt 'row" + padded(first % kPartitionRows + kRangeRows) + "'");
}

RequestStats partition_scan(const TableStore& store, std::size_t number) {
  return query(store, "PartitionKey eq '" + partition_of(number) + "' and Bucket eq 7");
}

RequestStats table_scan(const TableStore& store) { return query(store, "Total lt 10L"); }

// --- Measuring ---------------------------------------------------------------------------------------------

// How long each run took, and what the last one read.
struct Samples {
  std::vector<double> microseconds;
  RequestStats stats;

  void add(const std::function<RequestStats()>& run) {
    const auto start = Clock::now();
    stats = run();
    microseconds.push_back(Microseconds(Clock::now() - start).count());
  }

  double median() const {
    std::vector<double> sorted = microseconds;
    std::ranges::nth_element(sorted, sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2));
    return sorted[sorted.size() / 2];
  }
};

// One size: its store, and what was measured on it.
struct Subject {
  Subject(std::size_t size, const std::filesystem::path& folder)
      : entities(size), directory(folder / std::to_string(size)), random(static_cast<unsigned>(size)) {
    fill(*std::make_unique<TableStore>(StoreOptions{directory, false, false}), size);
    compact_store(directory);
    store = std::make_unique<TableStore>(StoreOptions{directory, false, false});
  }

  std::size_t any_entity() { return random() % entities; }
  // The first of a hundred rows of one partition.
  std::size_t any_range() {
    const std::size_t partitions = std::max<std::size_t>(1, entities / kPartitionRows);
    const std::size_t rows = std::min(entities, kPartitionRows);
    return random() % partitions * kPartitionRows + random() % (rows - kRangeRows + 1);
  }

  std::size_t entities;
  std::filesystem::path directory;
  std::mt19937 random;
  std::unique_ptr<TableStore> store;
  Samples point, range, partition, table, bare, deletion;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

void measure_look_ups(Subjects& subjects, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (auto& s : subjects) {
      s->point.add([&, number = s->any_entity()] { return get(*s->store, number); });
      s->range.add([&, first = s->any_range()] { return row_range(*s->store, first); });
    }
}

void measure_scans(Subject& s, std::size_t rows) {
  BareIteration bare(s.directory);
  for (int round = 0; round < 15; ++round)
    s.partition.add([&, number = s.any_entity()] { return partition_scan(*s.store, number); });
  const std::size_t rounds = std::clamp<std::size_t>(rows / s.entities, 3, 100);
  for (std::size_t round = 0; round < rounds; ++round) {
    s.table.add([&] { return table_scan(*s.store); });
    s.bare.add([&] {
      RequestStats stats;
      stats.entities_scanned = bare.run();
      return stats;
    });
  }
}

void measure_deletion(Subject& s) {
  s.deletion.add([&] {
    s.store->delete_table(kTable).value();
    return RequestStats();
  });
}

// --- Telling -----------------------------------------------------------------------------------------------

std::string duration(double microseconds) {
  char text[32];
  if (microseconds < 1'000) std::snprintf(text, sizeof text, "%.1f us", microseconds);
  if (microseconds >= 1'000) std::snprintf(text, sizeof text, "%.2f ms", microseconds / 1'000);
  if (microseconds >= 1'000'000) std::snprintf(text, sizeof text, "%.2f s", microseconds / 1'000'000);
  return text;
}

void print_row(std::string_view scenario, std::size_t entities, const Samples& samples) {
  const double median = samples.median();
  const auto scanned = samples.stats.entities_scanned;
  std::printf("| %-14s | %8zu | %10s | %8llu | %8llu | %10.0f |\n", std::string(scenario).c_str(), entities,
              duration(median).c_str(), static_cast<unsigned long long>(scanned),
              static_cast<unsigned long long>(samples.stats.entities_returned),
              static_cast<double>(scanned) / median * 1'000'000);
}

void print(const Subjects& subjects) {
  std::printf("| scenario       | entities |     median |  scanned | returned |     rows/s |\n");
  std::printf("| -------------- | -------: | ---------: | -------: | -------: | ---------: |\n");
  const struct {
    std::string_view name;
    Samples Subject::* samples;
  } scenarios[] = {{"point", &Subject::point},
                   {"row-range", &Subject::range},
                   {"partition-scan", &Subject::partition},
                   {"table-scan", &Subject::table},
                   {"bare iteration", &Subject::bare},
                   {"delete", &Subject::deletion}};
  for (const auto& [name, samples] : scenarios)
    for (const auto& s : subjects) print_row(name, s->entities, *s.*samples);

  std::printf(
      "\n| entities | point, times the smallest | row-range, times the smallest | evaluation / bare |\n");
  std::printf(
      "| -------: | ------------------------: | ----------------------------: | ----------------: |\n");
  const Subject& smallest = *subjects.front();
  for (const auto& s : subjects)
    std::printf("| %8zu | %25.2f | %29.2f | %17.2f |\n", s->entities,
                s->point.median() / smallest.point.median(), s->range.median() / smallest.range.median(),
                s->bare.median() / s->table.median());
}

int run(const std::vector<std::size_t>& sizes, const std::filesystem::path& folder) {
  Subjects subjects;
  for (const std::size_t size : sizes) {
    std::fprintf(stderr, "filling %zu\n", size);
    subjects.push_back(std::make_unique<Subject>(size, folder));
  }
  std::fprintf(stderr, "measuring\n");
  measure_look_ups(subjects, 5'000);  // to warm up
  for (auto& s : subjects) s->point = s->range = {};
  measure_look_ups(subjects, 2'000);
  for (auto& s : subjects) measure_scans(*s, 1'000'000);
  for (auto& s : subjects) measure_deletion(*s);
  print(subjects);
  return 0;
}

}  // namespace
}  // namespace rocktable

int main(int argc, char** argv) {
  CLI::App app("Measures rocktable's store");
  std::vector<std::size_t> sizes = {1'000, 10'000, 100'000};
  std::filesystem::path folder = std::filesystem::temp_directory_path();
  app.add_option("sizes", sizes, "Entities of each table, ascending")->check(CLI::Range(100, 100'000'000));
  app.add_option("--directory", folder, "Where the stores go, about 1 KB an entity; removed afterwards");
  CLI11_PARSE(app, argc, argv);
  folder /= "rocktable-bench-" + std::to_string(::getpid());
  const int status = rocktable::run(sizes, folder);
  std::filesystem::remove_all(folder);
  return status;
}
