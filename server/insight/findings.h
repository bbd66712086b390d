// Findings: what shapes and observations mean, as sentences for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/advice/design_advice.h"
#include "server/insight/query_shape.h"
#include "server/insight/shape_table.h"
#include "server/insight/table_activity.h"

namespace rocktable {

struct RequestFinding {
  std::string_view id;  // finding_catalog.h
  QueryShape shape;     // that it concerns; of an observation: account, table and client alone
  std::uint64_t count = 0;
  std::string sentence;
  std::string example;
  std::optional<DesignAdvice> design;
};

// The limits of docs/insight.md, beside those of odata/insight/scan_limits.h.
inline constexpr std::uint64_t kMinConflicts = 10;  // of at least a fifth of the inserts, or updates
inline constexpr std::uint64_t kMinMissing = 20;    // of at least half of the reads

// `abandoned`: pages whose token the client did not use.
std::vector<RequestFinding> findings_of(const QueryShape& shape, const ShapeSums& statistics, std::uint64_t abandoned);

RequestFinding finding_of(std::string_view account, std::string_view table, const Observation& observation);

}  // namespace rocktable
