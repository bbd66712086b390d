// Reading and writing the JSON of entities.
#include <benchmark/benchmark.h>

#include "bench/micro/samples.h"
#include "odata/payload_reader.h"

namespace rocktable::micro {
namespace {

void read_an_entity(benchmark::State& state) {
  const std::string json = entity_json();
  for (auto _ : state) benchmark::DoNotOptimize(read_entity(json));
}
BENCHMARK(read_an_entity);

void check_an_entity(benchmark::State& state) {
  const SampleEntity entity;
  const EntityKey key{entity.partition_key, entity.row_key};
  for (auto _ : state) benchmark::DoNotOptimize(check_entity(key, entity.properties));
}
BENCHMARK(check_an_entity);

void write_an_entity(benchmark::State& state, MetadataLevel level) {
  const SampleEntity entity;
  std::string out;
  for (auto _ : state) {
    out.clear();
    write_entity(out, format(level), std::nullopt, entity.view);
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK_CAPTURE(write_an_entity, without_metadata, MetadataLevel::None);
BENCHMARK_CAPTURE(write_an_entity, with_minimal_metadata, MetadataLevel::Minimal);
BENCHMARK_CAPTURE(write_an_entity, with_full_metadata, MetadataLevel::Full);

// Writes into a new string each time, as handlers do.
void write_a_page_of_100(benchmark::State& state) {
  const SampleEntity entity;
  const PayloadFormat how = format(MetadataLevel::Minimal);
  const std::optional<Selection> select;
  for (auto _ : state) {
    std::string out;
    EntitySetWriter page(out, how, select);
    for (int i = 0; i < 100; ++i) page.add(entity.view);
    page.finish();
    benchmark::DoNotOptimize(out.data());
  }
}
BENCHMARK(write_a_page_of_100);

}  // namespace
}  // namespace rocktable::micro
