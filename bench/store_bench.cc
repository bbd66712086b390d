// The scenarios of the store, in this process, without HTTP.
#include "bench/store_bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <random>
#include <string>

#include "bench/bare_store.h"
#include "bench/sample_entities.h"
#include "bench/samples.h"
#include "odata/filter_parser.h"
#include "odata/query_plan.h"
#include "storage/engines/open_store.h"

namespace rocktable {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

void fill(Store& store, std::size_t entities) {
  store.create_table(kBenchTable).value();
  std::vector<Mutation> writes;
  RequestStats unwanted;
  for (std::size_t i = 0; i < entities; ++i) {
    writes.push_back({WriteKind::Insert, row_of(i), {}, properties_of(i)});
    if (writes.size() < 100 && i + 1 < entities) continue;
    store.commit(kBenchTable, partition_of(i), writes, unwanted).value();
    writes.clear();
  }
}

// --- Queries -----------------------------------------------------------------------------------------------

RequestStats query(const Store& store, const std::string& text) {
  const std::optional<Filter> filter = parse_filter(text).value();
  const QueryPlan plan = plan_query(filter);
  RequestStats stats;
  const auto visit = [](const EntityView&) { return true; };
  store
      .scan({.table = kBenchTable,
             .ranges = plan.ranges,
             .page_size = 1'000'000'000,
             .deadline = Clock::now() + std::chrono::hours(1),
             .visit = visit,
             .filter = &*filter},
            stats)
      .value();
  return stats;
}

RequestStats get(const Store& store, std::size_t number) {
  RequestStats stats;
  store.get(kBenchTable, {partition_of(number), row_of(number)}, [](const EntityView&) {}, stats).value();
  return stats;
}

RequestStats row_range(const Store& store, std::size_t first) { return query(store, row_range_filter(first)); }

RequestStats partition_scan(const Store& store, std::size_t number) { return query(store, partition_filter(number)); }

RequestStats table_scan(const Store& store) { return query(store, kTableFilter); }

// --- Measuring ---------------------------------------------------------------------------------------------

// The duration of each run, and what the last one read.
struct Measured : Samples {
  RequestStats stats;

  void add(const std::function<RequestStats()>& run) {
    const auto start = Clock::now();
    stats = run();
    microseconds.push_back(Microseconds(Clock::now() - start).count());
  }
};

// A store of one size, and its measurements.
struct Subject {
  Subject(std::size_t size, const std::filesystem::path& folder)
      : entities(size), directory(folder / std::to_string(size)), random(static_cast<unsigned>(size)) {
    fill(*open_store({directory, false, false}), size);
    compact_store(directory);
    store = open_store({directory, false, false});
  }

  std::size_t any_entity() { return random() % entities; }

  std::size_t entities;
  std::filesystem::path directory;
  std::mt19937 random;
  std::unique_ptr<Store> store;
  Measured point, range, partition, table, bare, deletion;
};

using Subjects = std::vector<std::unique_ptr<Subject>>;

void measure_look_ups(Subjects& subjects, int rounds) {
  for (int round = 0; round < rounds; ++round)
    for (auto& s : subjects) {
      s->point.add([&, number = s->any_entity()] { return get(*s->store, number); });
      s->range.add([&, first = first_of_range(s->random, s->entities)] { return row_range(*s->store, first); });
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
    s.store->delete_table(kBenchTable).value();
    return RequestStats();
  });
}

// --- Report ------------------------------------------------------------------------------------------------

void print_row(std::string_view scenario, std::size_t entities, const Measured& samples) {
  const double median = samples.median();
  const auto scanned = samples.stats.entities_scanned;
  std::printf("| %-14s | %8zu | %10s | %8llu | %8llu | %10.0f |\n", std::string(scenario).c_str(), entities,
              duration_text(median).c_str(), static_cast<unsigned long long>(scanned),
              static_cast<unsigned long long>(samples.stats.entities_returned),
              static_cast<double>(scanned) / median * 1'000'000);
}

void print(const Subjects& subjects) {
  std::printf("| scenario       | entities |     median |  scanned | returned |     rows/s |\n");
  std::printf("| -------------- | -------: | ---------: | -------: | -------: | ---------: |\n");
  const struct {
    std::string_view name;
    Measured Subject::* samples;
  } scenarios[] = {
      {"point", &Subject::point},      {"row-range", &Subject::range},     {"partition-scan", &Subject::partition},
      {"table-scan", &Subject::table}, {"bare iteration", &Subject::bare}, {"delete", &Subject::deletion}};
  for (const auto& [name, samples] : scenarios)
    for (const auto& s : subjects) print_row(name, s->entities, *s.*samples);

  std::printf("\n| entities | point, times the smallest | row-range, times the smallest | evaluation / bare |\n");
  std::printf("| -------: | ------------------------: | ----------------------------: | ----------------: |\n");
  const Subject& smallest = *subjects.front();
  for (const auto& s : subjects)
    std::printf("| %8zu | %25.2f | %29.2f | %17.2f |\n", s->entities, s->point.median() / smallest.point.median(),
                s->range.median() / smallest.range.median(), s->bare.median() / s->table.median());
}

}  // namespace

void bench_store(const std::vector<std::size_t>& sizes, const std::filesystem::path& folder) {
  Subjects subjects;
  for (const std::size_t size : sizes) {
    std::fprintf(stderr, "filling %zu\n", size);
    subjects.push_back(std::make_unique<Subject>(size, folder));
  }
  std::fprintf(stderr, "measuring\n");
  measure_look_ups(subjects, 5'000);  // for warming up
  for (auto& s : subjects) s->point = s->range = {};
  measure_look_ups(subjects, 2'000);
  for (auto& s : subjects) measure_scans(*s, 1'000'000);
  for (auto& s : subjects) measure_deletion(*s);
  print(subjects);
}

}  // namespace rocktable
