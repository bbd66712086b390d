// Encoding and decoding of keys and records in RocksDB.
#include <benchmark/benchmark.h>

#include "bench/micro/samples.h"
#include "storage/format/entity_codec.h"
#include "storage/rocksdb/format/key_codec.h"

namespace rocktable::micro {
namespace {

void encode_a_key(benchmark::State& state) {
  const SampleEntity entity;
  for (auto _ : state) benchmark::DoNotOptimize(encode_entity_key(TableId{1}, entity.partition_key, entity.row_key));
}
BENCHMARK(encode_a_key);

void decode_a_key(benchmark::State& state) {
  const SampleEntity entity;
  const std::string key = encode_entity_key(TableId{1}, entity.partition_key, entity.row_key);
  std::string scratch;
  for (auto _ : state) benchmark::DoNotOptimize(decode_entity_key(key, scratch));
}
BENCHMARK(decode_a_key);

void encode_a_record(benchmark::State& state) {
  const SampleEntity entity;
  for (auto _ : state) {
    std::string record;
    encode_entity(record, entity.view.timestamp, entity.properties);
    benchmark::DoNotOptimize(record.data());
  }
}
BENCHMARK(encode_a_record);

void decode_a_record(benchmark::State& state) {
  const SampleEntity entity;
  std::string record;
  encode_entity(record, entity.view.timestamp, entity.properties);
  std::vector<PropertyView> properties;
  for (auto _ : state) benchmark::DoNotOptimize(decode_entity(record, properties));
}
BENCHMARK(decode_a_record);

}  // namespace
}  // namespace rocktable::micro
