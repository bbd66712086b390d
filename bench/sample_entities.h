// The entities of all benchmarks: about 1 KB, ten properties of all types, in partitions of 10,000.
#pragma once

#include <cstddef>
#include <random>
#include <string>

#include "odata/entity.h"
#include "odata/protocol/development_account.h"
#include "storage/store.h"

namespace rocktable {

inline constexpr TableName kBenchTable{kDevelopmentAccount, "entities"};
inline constexpr std::size_t kPartitionRows = 10'000;
inline constexpr std::size_t kRangeRows = 100;  // matches of a row-range query
inline constexpr std::size_t kKept = 10;        // matches of a filter on a property

// Returns the keys of the entity with this number.
std::string partition_of(std::size_t number);
std::string row_of(std::size_t number);
Properties properties_of(std::size_t number);

// Returns the number of the first of a hundred rows in one partition, at random in a table of this size; for
// row_range_filter.
std::size_t first_of_range(std::mt19937& random, std::size_t entities);

// Return $filter texts: 100 rows from this entity on, in one partition; 10 entities of this entity's
// partition, by a property; the first 10 of the table, by a property.
std::string row_range_filter(std::size_t first);
std::string partition_filter(std::size_t number);
inline constexpr const char* kTableFilter = "Total lt 10L";
inline constexpr const char* kNoMatchFilter = "Total lt 0L";

}  // namespace rocktable
