// Finds in the stored entities of a table what makes queries slow, wrong or impossible. Pure, in bounded memory.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/insight_report.h"
#include "odata/entity.h"
#include "odata/insight/number_padding.h"

namespace rocktable {

struct TableData {
  StoredTable stored;
  std::vector<Finding> findings;  // `table` as it was given; `count` is of entities or partitions
};

// Takes the entities of one table in key order, as queries return them.
class DataLint {
 public:
  // Limits of the findings; docs/insight.md describes them.
  static constexpr std::uint64_t kMinLargePartition = 10'000;  // entities: large-partition
  static constexpr double kMinShareOfLargePartition = 0.8;     // of the table's entities
  static constexpr std::uint64_t kMinSmallPartitions = 100;    // with one entity each: small-partitions
  static constexpr double kMinShareOfSmallPartitions = 0.9;    // of the table's partitions
  static constexpr std::uint64_t kMinAppended = 50;            // partitions: append-only-keys
  static constexpr double kMinShareOfAppended = 0.95;          // of the table's partitions
  static constexpr std::size_t kMaxNames = 1'000;              // of properties; further ones are not compared

  explicit DataLint(std::string table) { out_.stored.table = std::move(table); }

  void add(const Entity& entity);

  TableData finish(bool is_complete);

 private:
  using TypeCounts = std::array<std::uint64_t, kEdmTypeCount>;

  void end_partition();
  void note_types(const Properties& properties);
  void note_limits(const Entity& entity, std::size_t size);
  void add_finding(std::string_view id, std::uint64_t count, std::string sentence, std::string example = {});
  void find_large_partition();
  void find_small_partitions();
  void find_appended_keys();
  void find_unpadded_numbers();
  void find_mixed_types();

  TableData out_;

  // The partition that is read now.
  std::string partition_;
  std::uint64_t rows_ = 0;
  DateTime first_written_;

  std::string largest_;
  std::uint64_t max_rows_ = 0;
  std::uint64_t single_ = 0;  // partitions with one entity

  // Partitions that begin with a number, compared with the one before: written later or earlier than that.
  std::uint64_t numbered_ = 0, later_ = 0, earlier_ = 0;
  DateTime previous_written_;

  NumberPadding partition_numbers_, row_numbers_;
  std::map<std::string, TypeCounts, std::less<>> types_;  // by property
  std::uint64_t near_limits_ = 0;
  std::string nearest_, nearest_example_;
};

}  // namespace rocktable
