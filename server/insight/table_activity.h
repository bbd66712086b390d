// What happens in one table: the detectors of findings that need more than the shape of requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "odata/insight/evidence.h"
#include "odata/insight/number_padding.h"
#include "server/events/request_event.h"
#include "server/insight/access_runs.h"
#include "server/insight/key_order.h"
#include "server/insight/partition_walk.h"
#include "server/insight/repeated_reads.h"
#include "server/insight/top_partitions.h"

namespace rocktable {

// What a request did to a table.
struct TableAccess {
  const RequestEvent& event;
  std::string_view client;
  bool is_single = false;                // reads or writes one entity by its key
  bool is_insert = false;                // its writes may add entities
  bool is_lost_update = false;           // replaces what the client has read, without its ETag
  std::string_view partition_key;        // if has_partition
  bool has_partition = false;            // all its entities are in one partition
  std::uint64_t partition = 0, row = 0;  // hashes of the keys
  std::string_view row_key;              // if is_single
};

// A detector's result: the id of the finding, and what was seen.
struct Observation {
  std::string_view id;  // finding_catalog.h
  Evidence evidence;
};

class TableActivity {
 public:
  static constexpr std::uint64_t kMinLostUpdates = 3;
  static constexpr std::uint64_t kMinCreations = 10;

  void add(const TableAccess& access);
  void add_creation() { ++creations_; }

  std::vector<Observation> observations() const;

 private:
  void add_writes(const TableAccess& access);
  void check_limits(const TableAccess& access, const Mutation& write);

  void add_single(const TableAccess& access, bool writes);
  // Whether requests of logs come in the order of their times, but for a minute. Logs may have reads and writes in
  // files of their own: then nobody knows what was between two reads, and those so far do not count.
  bool is_next(DateTime time);

  AccessRuns runs_;
  PartitionWalk walk_;
  RepeatedReads repeated_reads_;
  DateTime latest_;  // of a request of logs
  bool is_in_order_ = true;
  TopPartitions partitions_;
  KeyOrder partition_order_;
  NumberPadding partition_numbers_, row_numbers_;
  // Whether a query compares the keys by their order, so that the order of numbers in them matters.
  bool orders_partitions_ = false, orders_rows_ = false;
  Evidence lost_updates_, near_limits_;
  std::uint64_t creations_ = 0;
};

}  // namespace rocktable
