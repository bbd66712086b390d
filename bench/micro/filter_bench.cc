// $filter: parsing, key ranges, and matching an entity.
#include <benchmark/benchmark.h>

#include "bench/micro/samples.h"
#include "odata/filter_parser.h"
#include "odata/query_plan.h"

namespace rocktable::micro {
namespace {

void parse(benchmark::State& state, const std::string& text) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_filter(text, FilterTarget::Entities));
}
BENCHMARK_CAPTURE(parse, point, "PartitionKey eq 'partition00000000' and RowKey eq 'row00001234'");
BENCHMARK_CAPTURE(parse, row_range, row_range_filter(kNumber));
BENCHMARK_CAPTURE(parse, partition_and_property, partition_filter(kNumber));

void plan(benchmark::State& state, const std::string& text) {
  const std::optional<Filter> filter = parse_filter(text, FilterTarget::Entities).value();
  for (auto _ : state) benchmark::DoNotOptimize(plan_query(filter));
}
BENCHMARK_CAPTURE(plan, row_range, row_range_filter(kNumber));

void match(benchmark::State& state, const std::string& text) {
  const Filter filter = parse_filter(text, FilterTarget::Entities).value();
  const SampleEntity entity;
  for (auto _ : state) benchmark::DoNotOptimize(matches(filter, entity.view));
}
BENCHMARK_CAPTURE(match, last_property, "Total lt 10L");
BENCHMARK_CAPTURE(match, partition_and_property, partition_filter(kNumber));

}  // namespace
}  // namespace rocktable::micro
