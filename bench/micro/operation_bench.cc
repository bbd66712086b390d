// Parsing the request line and headers into a typed operation.
#include <benchmark/benchmark.h>

#include "base/uri.h"
#include "bench/micro/samples.h"
#include "bench/requests.h"
#include "server/request/operation.h"

namespace rocktable::micro {
namespace {

const std::string kGet = "/devstoreaccount1/entities(PartitionKey='partition00000000',RowKey='row00001234')";
const std::string kQuery = "/devstoreaccount1/entities()?$filter=" + percent_encode(row_range_filter(kNumber));

void parse_a_target(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(parse_target(kGet, "127.0.0.1:10002", false, true));
}
BENCHMARK(parse_a_target);

void parse_an_operation(benchmark::State& state, const std::string& raw_target) {
  Headers headers;
  headers.add("Host", "127.0.0.1:10002");
  headers.add("x-ms-version", "2019-02-02");
  headers.add("DataServiceVersion", "3.0");
  headers.add("Accept", "application/json;odata=minimalmetadata");
  headers.add("x-ms-date", "Wed, 26 May 2021 15:48:10 GMT");
  headers.add("User-Agent", "azsdk-python-data-tables/12.4.2");
  const Target target = parse_target(raw_target, "127.0.0.1:10002", false, true).value();
  for (auto _ : state) {
    const QueryParameters query = QueryParameters::parse(target.query).value();
    const OperationRequest request{"GET", target.resource, query, headers};
    benchmark::DoNotOptimize(parse_preferences(request));
    benchmark::DoNotOptimize(parse_operation(request));
  }
}
BENCHMARK_CAPTURE(parse_an_operation, point, kGet);
BENCHMARK_CAPTURE(parse_an_operation, row_range, kQuery);

}  // namespace
}  // namespace rocktable::micro
