// What all renderings of a report show, prepared once: shapes added up, violations grouped, texts safe to print.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "client/report/insight_report.h"
#include "client/report/judge/verdict.h"

namespace rocktable {

struct ReportTotals {
  std::uint64_t requests = 0, errors = 0;
  std::uint64_t entities_scanned = 0, entities_scanned_here = 0, entities_returned = 0, entities_written = 0;
  bool counts_entities = true;  // false: these four are not known
};

// The violations of one kind and level, the worst first.
struct ViolationGroup {
  Level level = Level::Warn;
  std::string id;
  std::string title;   // `table scan`
  std::string advice;  // empty for a kind that the catalog of findings does not have
  std::string link;    // `docs/insight.md#table-scan`; empty likewise
  std::vector<Violation> violations;
};

// All texts are in one line and have no control characters (base/printable.h); they are not escaped for a format.
struct ReportView {
  InsightReport report;  // the result of merged()
  Verdict verdict;
  std::vector<ViolationGroup> groups;  // of the verdict's violations, in the order of the first of each
  ReportTotals totals;
  std::string headline;             // the result of headline_of()
  std::string period;               // `2026-11-22 10:00:00 to 10:05:00 UTC`
  std::string summary;              // `312 requests of 10 shapes; 12,000 entities scanned, 340 returned, 20 written`
  std::vector<std::string> notes;   // about the logs that were read
  std::vector<std::string> tables;  // of stored data: `orders: 12,345 entities in 120 partitions, 4.5 MiB`
  std::vector<std::string> tests;   // `adds up: 3 requests, 3,000 entities scanned, 12 returned; most by ...`
};

ReportView view_of(const InsightReport& report, const Verdict& verdict);

// `over budget: 2 errors and 1 warning`, `within budget`; without a budget `3 warnings`, `no findings`.
std::string headline_of(const Verdict& verdict);

// --- Texts of shapes and violations ----------------------------------------------------------------------

// `QueryEntities Age gt ? $select=Age,Name`. Two shapes of a table with the same text differ in their plan.
std::string text_of_query(const ShapeStatistics& shape);
// `orders: QueryEntities Age gt ?`; empty for a violation that is not of one shape.
std::string text_of_place(const ShapeStatistics& shape);
std::string text_of_place(const Violation& violation);

// `1,234`, or `-` if it is not known.
std::string text_of_returned(const ShapeStatistics& shape);
std::string text_of_written(const ShapeStatistics& shape);
// `4.5 MiB`, `1 byte`
std::string text_of_bytes(std::uint64_t bytes);
// Entities scanned for each one returned: `250`, `2.5`, or `-` if none was scanned.
std::string text_of_ratio(const ShapeStatistics& shape);
// `5,000`, or `5,000 (2 here)` if rocktable scanned fewer than the service would; of a shape, `-` if it is not known.
std::string text_of_scanned(std::uint64_t scanned, std::uint64_t here);
std::string text_of_scanned(const ShapeStatistics& shape);
// `0.25`, `12.5`, `1,250`
std::string text_of_milliseconds(double milliseconds);
// `< 0.01`, `12.50`
std::string text_of_cost(double cost);

// Whether requests of this plan read more than one partition.
bool reads_several_partitions(std::string_view plan);

// Whether the violation is of this shape.
bool is_of_shape(const Violation& violation, const ShapeStatistics& shape);

// `error` or `warning`
std::string_view to_string(Level level);

}  // namespace rocktable
