// What to change for a finding, in the words of the program that caused it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktable {

// The requests of one shape, or of one observation, as insight counted them. Texts as in ShapeStatistics.
struct SeenRequests {
  std::string_view finding;  // its id (odata/insight/finding_catalog.h)
  std::string_view table, fingerprint, example, client;
  std::uint64_t requests = 0, continuations = 0;
  std::uint64_t scanned = 0, returned = 0;  // entities, by the service
  bool counts_entities = true;              // false: these two are not known
};

struct DesignAdvice {
  // `Store each entity of orders a second time, as PartitionKey ... Then ... reads about 3 entities instead of 5,000.`
  std::string sentence;
  std::string why;                // reasons, and what the change costs
  std::string language;           // of `code`, as Markdown names it; empty: there is no code
  std::vector<std::string> code;  // lines
};

// Returns nullopt if nothing that was seen says what to change.
std::optional<DesignAdvice> design_advice(const SeenRequests& seen);

// {"sentence", "why", "language", "code"}, the code as one text; null for nullopt.
nlohmann::json to_json(const std::optional<DesignAdvice>& design);

}  // namespace rocktable
