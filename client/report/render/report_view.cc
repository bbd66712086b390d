#include "client/report/render/report_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "base/date_time.h"
#include "base/printable.h"
#include "base/text.h"
#include "client/report/by_test.h"
#include "client/report/render/render_roles.h"
#include "odata/insight/finding_catalog.h"

namespace rocktable {
namespace {

void make_printable(std::string& text) { text = printable(text); }

void make_printable(ShapeStatistics& shape) {
  for (std::string* const text :
       {&shape.account, &shape.table, &shape.operation, &shape.plan, &shape.fingerprint, &shape.select, &shape.client,
        &shape.test, &shape.example, &shape.first_seen, &shape.last_seen})
    make_printable(*text);
}

void make_printable(Violation& violation) {
  for (std::string* const text :
       {&violation.id, &violation.table, &violation.operation, &violation.fingerprint, &violation.plan,
        &violation.client, &violation.test, &violation.example, &violation.sentence, &violation.allowed})
    make_printable(*text);
  if (!violation.design) return;
  make_printable(violation.design->sentence);
  make_printable(violation.design->why);
  for (std::string& line : violation.design->code) make_printable(line);
}

void make_printable(CostTable& cost) {
  for (std::string* const text : {&cost.currency, &cost.date, &cost.source, &cost.total.label}) make_printable(*text);
  for (CostRow& row : cost.rows) make_printable(row.label);
}

InsightReport printable_report(InsightReport report) {
  for (std::string* const text : {&report.since, &report.until, &report.program}) make_printable(*text);
  for (ShapeStatistics& shape : report.shapes) make_printable(shape);
  for (StoredTable& table : report.tables) make_printable(table.table);
  report.findings.clear();  // the verdict has them
  if (report.permissions) report.permissions = printable_needs(*std::move(report.permissions));
  return report;
}

Verdict printable_verdict(Verdict verdict) {
  for (Violation& violation : verdict.violations) make_printable(violation);
  for (std::string& rule : verdict.unused_rules) make_printable(rule);
  if (verdict.cost) make_printable(*verdict.cost);
  return verdict;
}

// The title of an id that the catalog of findings does not have.
std::string title_of_other_kind(const std::string& id) {
  if (id == "total-transactions") return "more transactions than the budget allows";
  if (id == "total-entities-scanned") return "more entities scanned than the budget allows";
  std::string out = id;
  std::replace(out.begin(), out.end(), '-', ' ');
  return out;
}

ViolationGroup new_group(Level level, const std::string& id) {
  ViolationGroup out;
  out.level = level;
  out.id = id;
  if (const FindingKind* const kind = find_finding_kind(id)) {
    out.title = kind->title;
    out.advice = kind->advice;
    out.link = "docs/insight.md#" + id;
  } else {
    out.title = title_of_other_kind(id);
  }
  return out;
}

std::vector<ViolationGroup> grouped(const std::vector<Violation>& violations) {
  std::vector<ViolationGroup> out;
  for (const Violation& violation : violations) {
    auto group = std::find_if(out.begin(), out.end(), [&](const ViolationGroup& one) {
      return one.level == violation.level && one.id == violation.id;
    });
    if (group == out.end()) group = out.insert(out.end(), new_group(violation.level, violation.id));
    group->violations.push_back(violation);
  }
  return out;
}

ReportTotals totals_of(const InsightReport& report) {
  ReportTotals out;
  out.counts_entities = !report.logs;  // also if they have no requests
  for (const auto& shape : report.shapes) {
    out.requests += shape.requests;
    out.errors += shape.errors;
    out.entities_scanned += shape.entities_scanned;
    out.entities_scanned_here += shape.entities_scanned_here;
    out.entities_returned += shape.entities_returned;
    out.entities_written += shape.entities_written;
    out.counts_entities = out.counts_entities && shape.counts_entities;
  }
  return out;
}

std::uint64_t count_of(const Verdict& verdict, Level level) {
  return static_cast<std::uint64_t>(
      std::count_if(verdict.violations.begin(), verdict.violations.end(),
                    [&](const Violation& violation) { return violation.level == level; }));
}

// `2026-11-22T10:00:00.0000000Z` as `2026-11-22 10:00:00`; other text unchanged.
std::string short_date_time(const std::string& text) {
  const auto time = parse_date_time(text);
  if (!time) return text;
  std::string out = to_string_7(*time).substr(0, 19);
  out[10] = ' ';
  return out;
}

std::string period_of(const InsightReport& report) {
  if (report.since.empty() || report.until.empty()) return "";
  constexpr std::size_t kDate = 11;  // `2026-11-22 `
  const std::string since = short_date_time(report.since), until = short_date_time(report.until);
  const bool is_same_day = since.size() > kDate && until.size() > kDate && common_prefix(since, until) >= kDate;
  return since + " to " + (is_same_day ? until.substr(kDate) : until) + " UTC";
}

std::string summary_of(const InsightReport& report, const ReportTotals& totals) {
  std::string out =
      counted(totals.requests, "request", "requests") + " of " + counted(report.shapes.size(), "shape", "shapes");
  if (totals.counts_entities)
    out += "; " + text_of_scanned(totals.entities_scanned, totals.entities_scanned_here) +
           (totals.entities_scanned == 1 ? " entity" : " entities") + " scanned, " +
           with_commas(totals.entities_returned) + " returned, " + with_commas(totals.entities_written) + " written";
  if (totals.errors > 0) out += "; " + counted(totals.errors, "request", "requests") + " failed";
  if (report.not_counted > 0)
    out += "; of " + counted(report.not_counted, "more request", "more requests") + " no shape was kept";
  return out;
}

std::vector<std::string> notes_of(const LogSummary& logs) {
  std::vector<std::string> out = {
      "From " + counted(logs.lines, "line", "lines") + " of logs in " + counted(logs.files, "file", "files") +
      ". Logs do not count entities, so ratios are not known. Times are those of the service, without the network."};
  const auto add = [&](const std::string& what, std::uint64_t count, const std::string& more = {}) {
    if (count > 0) out.push_back(what + ": " + with_commas(count) + "." + more);
  };
  add("Requests whose URL cannot be read, without a shape", logs.without_shape, " They count, and cost.");
  add("Records that are not of the table service, and are skipped", logs.other_services);
  add("Records that are there twice, and count once", logs.duplicates);
  add("Records of further operations of a request, which counts once", logs.further_operations);
  add("Broken lines", logs.broken, " The first is " + logs.first_broken);
  for (std::string& note : out) make_printable(note);
  return out;
}

std::string line_of_table(const StoredTable& table) {
  return table.table + ": " + (table.is_complete ? "" : "the first ") + counted(table.entities, "entity", "entities") +
         " in " + counted(table.partitions, "partition", "partitions") + ", " + text_of_bytes(table.bytes);
}

std::string line_of_test(const TestCosts& test) {
  std::string out = test.name + ": " + counted(test.requests, "request", "requests");
  if (test.worst.counts_entities)
    out += ", " + counted(test.entities_scanned, "entity", "entities") + " scanned, " +
           with_commas(test.entities_returned) + " returned";
  if (test.worst.entities_scanned > 0) out += "; most by " + text_of_place(test.worst) + " (" + test.worst.plan + ")";
  return printable(out);
}

std::vector<std::string> lines_of_tests(const std::vector<TestCosts>& tests) {
  constexpr std::size_t kMaxTests = 40;
  std::vector<std::string> out;
  const std::size_t shown = std::min(tests.size(), kMaxTests);
  out.reserve(shown + 1);
  for (std::size_t i = 0; i < shown; ++i) out.push_back(line_of_test(tests[i]));
  if (tests.size() > shown)
    out.push_back("... and " + counted(tests.size() - shown, "more test", "more tests") + ", which --format json has");
  return out;
}

std::string summary_of(const std::vector<StoredTable>& tables) {
  std::uint64_t entities = 0, bytes = 0;
  for (const StoredTable& table : tables) {
    entities += table.entities;
    bytes += table.bytes;
  }
  return counted(entities, "entity", "entities") + " of " + counted(tables.size(), "table", "tables") + " read, " +
         text_of_bytes(bytes);
}

// The number with `digits` decimals, with commas, without zeros at the end.
std::string decimal(double number, int digits) {
  char out[64];
  std::string text(out, static_cast<std::size_t>(std::snprintf(out, sizeof out, "%.*f", digits, number)));
  if (const auto point = text.find('.'); point != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

// Three significant digits.
std::string readable_number(double number) {
  if (!(number < 1e15)) return shortest(number);
  if (number >= 99.95) return with_commas(static_cast<std::uint64_t>(std::llround(number)));
  return decimal(number, number >= 9.995 ? 1 : 2);
}

std::string known_number(const ShapeStatistics& shape, std::uint64_t number) {
  return shape.counts_entities ? with_commas(number) : "-";
}

std::string text_of_place_parts(const std::string& table, const std::string& query) {
  return table.empty() || query.empty() ? table + query : table + ": " + query;
}

}  // namespace

ReportView view_of(const InsightReport& report, const Verdict& verdict) {
  ReportView out;
  out.report = printable_report(merged(report));
  out.verdict = printable_verdict(verdict);
  out.groups = grouped(out.verdict.violations);
  out.totals = totals_of(out.report);
  out.headline = headline_of(out.verdict);
  out.period = period_of(out.report);
  out.summary = out.report.tables.empty() ? summary_of(out.report, out.totals) : summary_of(out.report.tables);
  if (out.report.logs) out.notes = notes_of(*out.report.logs);
  for (const StoredTable& table : out.report.tables) out.tables.push_back(line_of_table(table));
  out.tests = lines_of_tests(costs_by_test(report));
  return out;
}

std::string headline_of(const Verdict& verdict) {
  const std::uint64_t errors = count_of(verdict, Level::Error), warnings = count_of(verdict, Level::Warn);
  std::string counts;
  if (errors > 0) counts = counted(errors, "error", "errors");
  if (warnings > 0) counts.append(errors > 0 ? " and " : "").append(counted(warnings, "warning", "warnings"));
  if (!verdict.has_budget) return counts.empty() ? "no findings" : counts;
  return (errors > 0 ? "over budget" : "within budget") + (counts.empty() ? "" : ": " + counts);
}

std::string text_of_query(const ShapeStatistics& shape) {
  std::string out = shape.operation;
  if (!shape.fingerprint.empty()) out += " " + shape.fingerprint;
  if (!shape.select.empty()) out += " $select=" + shape.select;
  return out;
}

std::string text_of_place(const ShapeStatistics& shape) {
  return text_of_place_parts(shape.table, text_of_query(shape));
}

std::string text_of_place(const Violation& violation) {
  const bool has_both = !violation.operation.empty() && !violation.fingerprint.empty();
  return text_of_place_parts(violation.table, violation.operation + (has_both ? " " : "") + violation.fingerprint);
}

std::string text_of_returned(const ShapeStatistics& shape) { return known_number(shape, shape.entities_returned); }
std::string text_of_written(const ShapeStatistics& shape) { return known_number(shape, shape.entities_written); }

std::string text_of_bytes(std::uint64_t bytes) {
  constexpr double kStep = 1024;
  if (bytes < 1024) return counted(bytes, "byte", "bytes");
  auto size = static_cast<double>(bytes);
  std::string_view unit;
  for (const std::string_view next : {"KiB", "MiB", "GiB", "TiB"}) {
    if (size < kStep) break;
    size /= kStep;
    unit = next;
  }
  return readable_number(size).append(" ").append(unit);
}

std::string text_of_ratio(const ShapeStatistics& shape) {
  return shape.entities_scanned == 0 ? "-" : readable_number(scanned_per_returned(shape));
}

std::string text_of_scanned(std::uint64_t scanned, std::uint64_t here) {
  return scanned == here ? with_commas(scanned) : with_commas(scanned) + " (" + with_commas(here) + " here)";
}

std::string text_of_scanned(const ShapeStatistics& shape) {
  return shape.counts_entities ? text_of_scanned(shape.entities_scanned, shape.entities_scanned_here) : "-";
}

std::string text_of_milliseconds(double milliseconds) { return readable_number(milliseconds); }

std::string text_of_cost(double cost) {
  constexpr double kSmall = 0.01;
  if (cost > 0 && cost < kSmall) return "< 0.01";
  char out[64];
  return {out, static_cast<std::size_t>(std::snprintf(out, sizeof out, "%.2f", std::min(cost, 1e15)))};
}

bool reads_several_partitions(std::string_view plan) { return plan == "table-scan" || plan == "partition-range"; }

bool is_of_shape(const Violation& violation, const ShapeStatistics& shape) {
  return violation.table == shape.table && violation.operation == shape.operation &&
         violation.fingerprint == shape.fingerprint && (violation.plan.empty() || violation.plan == shape.plan);
}

std::string_view to_string(Level level) { return level == Level::Error ? "error" : "warning"; }

}  // namespace rocktable
