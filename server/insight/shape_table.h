// The cost of requests by their shape.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/date_time.h"
#include "base/threads/mutex.h"
#include "server/insight/distinct_count.h"
#include "server/insight/duration_histogram.h"
#include "server/insight/query_shape.h"

namespace rocktable {

// What one request adds.
struct ShapeSample {
  int status = 0;
  bool continues = false;  // the response has a continuation token
  bool is_billed = true;
  bool counts_entities = true;         // false: the numbers of entities and bytes_read are not known
  bool is_wider_in_cloud = false;      // the service reads more for this query than rocktable does
  std::uint64_t entities_scanned = 0;  // by the service: an estimate if it reads more
  std::uint64_t entities_scanned_here = 0;
  std::uint64_t entities_returned = 0, entities_written = 0;
  std::uint64_t bytes_read = 0, bytes_sent = 0;
  std::chrono::microseconds duration{};
  std::uint64_t partition = 0;      // hash of the PartitionKey; 0: none, or several
  std::size_t partitions = 0;       // that its filter names
  std::string_view method, target;  // raw
  DateTime time;
};

struct ShapeSums {
  std::uint64_t requests = 0, continuations = 0;
  // Answers with status 400 and above; 404, 409 and 412 of them.
  std::uint64_t errors = 0, not_found = 0, conflicts = 0, preconditions_failed = 0;
  std::uint64_t unbilled = 0;                                     // requests (odata/insight/billed_requests.h)
  std::uint64_t uncounted = 0;                                    // requests whose numbers of entities are not known
  std::uint64_t entities_scanned = 0, entities_scanned_here = 0;  // as in ShapeSample
  std::uint64_t most_scanned = 0;                                 // of one request
  std::uint64_t entities_returned = 0, entities_written = 0;
  bool is_wider_in_cloud = false;
  std::uint64_t bytes_read = 0, bytes_sent = 0;
  DurationHistogram durations;
  DistinctCount partitions;
  std::size_t max_partitions = 0;  // of one request
  std::string example;             // `GET /account/table()?...`, secrets masked: the request that scanned most
  std::uint64_t example_scanned = 0;
  DateTime first, last;

  void add(const ShapeSample& sample);
  void add(const ShapeSums& other);
};

// Thread-safe. Threads count in a few separate shards, which all() adds up.
class ShapeTable {
 public:
  // Further shapes are counted under the shape of their account and operation with table and fingerprint `*`.
  static constexpr std::size_t kMaxShapes = 10'000;
  static constexpr std::size_t kMaxBytes = 32 << 20;  // likewise beyond this memory

  using Statistics = std::unordered_map<std::size_t, std::pair<QueryShape, ShapeSums>>;  // by hash_of()

  void add(const QueryShapeView& shape, const ShapeSample& sample);

  // Of one account, or of all (empty).
  Statistics all(std::string_view account = {}) const;

  // The requests that were counted under `*`.
  std::uint64_t beyond_limit() const;

  void clear(std::string_view account = {});

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const QueryShape& shape) const { return hash_of(shape.view()); }
    std::size_t operator()(const QueryShapeView& shape) const { return hash_of(shape); }
  };
  struct Equal {
    using is_transparent = void;
    static QueryShapeView view(const QueryShape& shape) { return shape.view(); }
    static QueryShapeView view(const QueryShapeView& shape) { return shape; }
    template <class Left, class Right>
    bool operator()(const Left& left, const Right& right) const {
      return view(left) == view(right);
    }
  };
  using ByShape = std::unordered_map<QueryShape, ShapeSums, Hash, Equal>;

  struct alignas(64) Shard {  // avoids false sharing of a cache line
    mutable Mutex mutex;
    ByShape shapes;
    ByShape::value_type* last = nullptr;  // requests are often alike
    std::uint64_t beyond_limit = 0;
  };

  Shard& shard_of_this_thread();
  bool may_add(std::size_t hash, std::size_t bytes);
  static void add_beyond(Shard& shard, const QueryShapeView& shape, const ShapeSample& sample);

  std::array<Shard, 4> shards_;
  Mutex known_mutex_;
  std::set<std::size_t> known_;  // the hashes of all shards
  std::size_t bytes_ = 0;        // of all shards
};

}  // namespace rocktable
