// Computes the keys, properties and filters of the sample entities from their numbers.
#include "bench/sample_entities.h"

#include <algorithm>

namespace rocktable {
namespace {

std::string padded(std::size_t number) {
  const std::string digits = std::to_string(number);
  return std::string(8 - std::min<std::size_t>(8, digits.size()), '0') + digits;
}

std::string filler(std::size_t size, std::size_t seed) {
  std::string out(size, ' ');
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<char>('a' + (seed + i * 7) % 26);
  return out;
}

}  // namespace

std::string partition_of(std::size_t number) { return "partition" + padded(number / kPartitionRows); }
std::string row_of(std::size_t number) { return "row" + padded(number % kPartitionRows); }

Properties properties_of(std::size_t number) {
  Guid guid;
  for (std::size_t i = 0; i < guid.bytes.size(); ++i) guid.bytes[i] = static_cast<std::uint8_t>(number >> i % 8);
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

std::size_t first_of_range(std::mt19937& random, std::size_t entities) {
  const std::size_t partitions = std::max<std::size_t>(1, entities / kPartitionRows);
  const std::size_t rows = std::min(entities, kPartitionRows);
  return random() % partitions * kPartitionRows + random() % (rows - kRangeRows + 1);
}

std::string row_range_filter(std::size_t first) {
  return "PartitionKey eq '" + partition_of(first) + "' and RowKey ge '" + row_of(first) + "' and RowKey lt 'row" +
         padded(first % kPartitionRows + kRangeRows) + "'";
}

std::string partition_filter(std::size_t number) {
  return "PartitionKey eq '" + partition_of(number) + "' and Bucket eq 7";
}

}  // namespace rocktable
