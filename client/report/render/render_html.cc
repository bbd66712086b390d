#include "client/report/render/render_html.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "client/report/render/charts.h"
#include "client/report/render/html_text.h"
#include "client/report/render/render_roles.h"
#include "client/report/render/report_style.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxShapesAsHtml = 500;  // about 1 KiB each
constexpr std::size_t kMaxItemsAsHtml = 100;   // violations of a group
constexpr std::size_t kMaxOpenItems = 10;      // that are not in <details>
constexpr std::size_t kMaxRowsOfChart = 10;

constexpr const char* kEndOfPage = "</main>\n</body>\n</html>\n";

// What stands between backticks becomes code.
std::string html_prose(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto begin = text.find('`');
    const auto end = begin == text.npos ? text.npos : text.find('`', begin + 1);
    if (end == text.npos) return out + html_text(text);
    out += html_text(text.substr(0, begin)) + html_element("code", html_text(text.substr(begin + 1, end - begin - 1)));
    text.remove_prefix(end + 1);
  }
  return out;
}

std::string quiet(const std::string& name, const std::string& content) {
  return content.empty() ? "" : html_element("span class=\"quiet\"", name + content);
}

// --- The head of the page -----------------------------------------------------------------------------------

std::string head_of_page(const std::string& title) {
  // The policy makes sure that the page loads nothing, whatever its texts are.
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; "
         "img-src data:\">\n<link rel=\"icon\" href=\"data:,\">\n<title>rocktable: " +
         html_text(title) + "</title>\n<style>" + std::string(kReportStyle) + "</style>\n</head>\n<body>\n";
}

// The class of the verdict's colour.
const char* colour_of(const ReportView& view) {
  if (view.groups.empty()) return "good";
  return view.groups.front().level == Level::Error ? "error" : "warning";
}

std::string header_of_page(const ReportView& view) {
  std::string out = "<header>\n<h1>rocktable: <span class=\"" + std::string(colour_of(view)) + "\">" +
                    html_text(view.headline) + "</span></h1>\n";
  std::string about = view.period;
  if (!view.report.program.empty()) about += (about.empty() ? "" : ", recorded by ") + view.report.program;
  out += html_element("p class=\"quiet\"", html_text(about)) + "\n";
  if (view.report.not_counted > 0)
    out +=
        html_element("p class=\"warning\"", "Of " + counted(view.report.not_counted, "more request", "more requests") +
                                                " no shape was kept.") +
        "\n";
  for (const auto& note : view.notes) out += html_element("p class=\"quiet\"", html_text(note)) + "\n";
  if (!view.tables.empty()) {
    out += html_element("p", html_text(view.summary)) + "\n<ul>\n";
    for (const auto& table : view.tables) out += html_element("li", html_text(table)) + "\n";
    return out + "</ul>\n</header>\n";
  }
  out += "<dl class=\"totals\">\n";
  const auto append = [&](const char* name, std::uint64_t number) {
    out += "<div><dt>" + std::string(name) + "</dt><dd>" + with_commas(number) + "</dd></div>\n";
  };
  append("requests", view.totals.requests);
  append("shapes", view.report.shapes.size());
  if (view.totals.counts_entities) {
    append("entities scanned", view.totals.entities_scanned);
    append("entities returned", view.totals.entities_returned);
    append("entities written", view.totals.entities_written);
  }
  append("requests failed", view.totals.errors);
  return out + "</dl>\n</header>\n";
}

// --- Violations ---------------------------------------------------------------------------------------------

std::string design_of(const DesignAdvice& design) {
  std::string out = "<p><strong>Here:</strong> " + html_prose(design.sentence) + "</p><details><summary>Why" +
                    (design.code.empty() ? "" : ", and as code") + "</summary><p>" + html_prose(design.why) + "</p>";
  std::string code;
  for (const std::string& line : design.code) code += html_text(line) + "\n";
  if (!code.empty()) out += html_element("pre", html_element("code", code));
  return out + "</details>";
}

std::string item_of(const Violation& violation) {
  std::string out = "<li>" + html_element("p", html_prose(violation.sentence));
  if (const std::string place = text_of_place(violation); !place.empty()) out += code_element(place);
  out += quiet("allowed: ", html_text(violation.allowed)) + quiet("test: ", html_text(violation.test));
  if (!violation.example.empty())
    out += "<details><summary>example</summary>" + code_element(violation.example) + "</details>";
  if (violation.design) out += design_of(*violation.design);
  return out + "</li>\n";
}

std::string group_of(const ViolationGroup& group) {
  const bool is_error = group.level == Level::Error;
  const std::size_t count = group.violations.size();
  std::string out = "<article class=\"group" + std::string(is_error ? " of-errors" : "") + "\">\n<h3><span class=\"" +
                    std::string(is_error ? "error" : "warning") + "\">" + std::string(to_string(group.level)) +
                    ":</span> " + html_text(group.title) + (count > 1 ? " (" + with_commas(count) + ")" : "") +
                    "</h3>\n<ul>\n";
  const std::size_t open = std::min(count, kMaxOpenItems), shown = std::min(count, kMaxItemsAsHtml);
  for (std::size_t i = 0; i < open; ++i) out += item_of(group.violations[i]);
  out += "</ul>\n";
  if (shown > open) {
    out += "<details><summary>" + with_commas(shown - open) + " more</summary><ul>\n";
    for (std::size_t i = open; i < shown; ++i) out += item_of(group.violations[i]);
    out += "</ul></details>\n";
  }
  if (count > shown)
    out +=
        html_element("p class=\"quiet\"", "... and " + with_commas(count - shown) + " more, which --format json has") +
        "\n";
  if (!group.advice.empty()) out += "<p><strong>Better:</strong> " + html_prose(group.advice) + "</p>\n";
  if (!group.link.empty()) out += html_element("p class=\"quiet\"", "See " + code_element(group.link)) + "\n";
  return out + "</article>\n";
}

std::string violations_section(const ReportView& view) {
  if (view.groups.empty() && view.verdict.unused_rules.empty()) return "";
  std::string out = "<section>\n<h2>Findings</h2>\n";
  for (const auto& group : view.groups) out += group_of(group);
  if (!view.verdict.unused_rules.empty()) {
    out += "<article class=\"group\">\n<h3>Rules of the budget that no shape used</h3>\n<ul>\n";
    for (const auto& rule : view.verdict.unused_rules) out += html_element("li", html_prose(rule)) + "\n";
    out += "</ul>\n</article>\n";
  }
  return out + "</section>\n";
}

// --- Charts -------------------------------------------------------------------------------------------------

std::string figure(const std::string& title, const std::string& about, const std::string& chart) {
  return "<figure>\n<figcaption><strong>" + title + "</strong>" + about + "</figcaption>\n" + chart + "</figure>\n";
}

std::string key_of(const char* low, const char* high) {
  return "<span class=\"key\"></span> " + std::string(low) + " &nbsp;<span class=\"key full\"></span> " + high;
}

std::string chart_of_scans(const std::vector<ShapeStatistics>& shapes) {
  std::vector<Span> spans;
  for (const auto& shape : shapes) {
    if (shape.entities_scanned == 0 || spans.size() == kMaxRowsOfChart) continue;
    spans.push_back({text_of_place(shape), static_cast<double>(shape.entities_returned),
                     static_cast<double>(shape.entities_scanned),
                     with_commas(shape.entities_returned) + " of " + with_commas(shape.entities_scanned)});
  }
  if (spans.empty()) return "";
  return figure("Entities returned and scanned, the worst shapes",
                key_of("returned", "scanned") + "; a step of the axis is a factor of ten",
                span_chart("Entities returned and scanned by shape", spans, 1));
}

std::string chart_of_classes(const std::vector<ShapeStatistics>& shapes) {
  std::map<std::string, std::uint64_t> requests;
  for (const auto& shape : shapes) requests[shape.plan] += shape.requests;
  std::vector<Bar> bars;
  bars.reserve(requests.size());
  for (const auto& [plan, count] : requests)
    bars.push_back({plan.empty() ? "writes and others" : plan, static_cast<double>(count), with_commas(count),
                    reads_several_partitions(plan)});
  std::stable_sort(bars.begin(), bars.end(), [](const Bar& a, const Bar& b) { return a.value > b.value; });
  if (bars.size() > kMaxRowsOfChart) bars.resize(kMaxRowsOfChart);
  return figure("Requests by class", "What each request had to read", bar_chart("Requests by class", bars));
}

std::string chart_of_times(std::vector<ShapeStatistics> shapes) {
  std::stable_sort(shapes.begin(), shapes.end(), [](const ShapeStatistics& a, const ShapeStatistics& b) {
    return a.milliseconds.p99 > b.milliseconds.p99;
  });
  std::vector<Span> spans;
  for (const auto& shape : shapes) {
    if (shape.milliseconds.p99 <= 0 || spans.size() == kMaxRowsOfChart) break;
    spans.push_back(
        {text_of_place(shape), shape.milliseconds.p50, shape.milliseconds.p99,
         text_of_milliseconds(shape.milliseconds.p50) + ", " + text_of_milliseconds(shape.milliseconds.p99) + " ms"});
  }
  if (spans.empty()) return "";
  return figure("Times in the server, the slowest shapes",
                key_of("median", "99th percentile") + ", in milliseconds; they vary with the machine",
                span_chart("Median and 99th percentile of times by shape", spans, 0.01));
}

std::string charts_section(const ReportView& view) {
  if (view.report.shapes.empty()) return "";
  return "<section>\n<h2>Charts</h2>\n<div class=\"charts\">\n" + chart_of_scans(view.report.shapes) +
         chart_of_classes(view.report.shapes) + chart_of_times(view.report.shapes) + "</div>\n</section>\n";
}

// --- Tables -------------------------------------------------------------------------------------------------

// Roles, because `display: block` on a narrow screen takes away those of the elements.
constexpr const char* kTableStart = "<table role=\"table\">\n<thead role=\"rowgroup\"><tr role=\"row\">";

std::string head_cell(const std::string& name, bool is_number) {
  return html_element("th role=\"columnheader\" scope=\"col\"" + std::string(is_number ? " class=\"number\"" : ""),
                      name);
}

std::string number_cell(const std::string& name, const std::string& text) {
  return html_element("td role=\"cell\" class=\"number\" data-label=\"" + name + "\"", html_text(text));
}

std::string shape_cell(const ShapeStatistics& shape) {
  std::string more;
  const auto add = [&](const std::string& text) { more += (more.empty() ? "" : ", ") + text; };
  if (shape.partitions > 0)
    add((shape.partitions_exact ? "" : "at least ") + counted(shape.partitions, "partition", "partitions"));
  if (shape.continuations > 0) add(counted(shape.continuations, "continuation", "continuations"));
  if (shape.abandoned > 0) add(with_commas(shape.abandoned) + " abandoned");
  if (shape.conflicts > 0) add(counted(shape.conflicts, "conflict", "conflicts"));
  if (!shape.client.empty()) add(shape.client);
  if (!shape.test.empty()) add("test " + shape.test);
  std::string out = code_element(text_of_place(shape));
  if (!more.empty()) out += "<br>" + quiet("", html_text(more));
  if (!shape.example.empty()) out += "<details><summary>example</summary>" + code_element(shape.example) + "</details>";
  return html_element("td role=\"cell\" class=\"shape\"", out);
}

std::string row_of(const ShapeStatistics& shape) {
  const bool is_bad = reads_several_partitions(shape.plan);
  const std::string plan = shape.plan.empty() ? "-" : html_text(shape.plan);
  return "<tr role=\"row\">" + shape_cell(shape) +
         html_element("td role=\"cell\" class=\"class\" data-label=\"class\"",
                      is_bad ? html_element("span class=\"warning\"", plan) : html_element("span", plan)) +
         number_cell("scanned per returned", text_of_ratio(shape)) + number_cell("scanned", text_of_scanned(shape)) +
         number_cell("returned", text_of_returned(shape)) + number_cell("written", text_of_written(shape)) +
         number_cell("requests", with_commas(shape.requests)) + number_cell("failed", with_commas(shape.errors)) +
         number_cell("p99 ms", text_of_milliseconds(shape.milliseconds.p99)) + "</tr>\n";
}

std::string shapes_section(const ReportView& view) {
  const auto& shapes = view.report.shapes;
  if (shapes.empty()) return "";
  std::string out = "<section>\n<h2>Shapes of requests, the worst first</h2>\n" + std::string(kTableStart) +
                    head_cell("shape", false) + head_cell("class", false);
  for (const char* const name :
       {"scanned per returned", "scanned", "returned", "written", "requests", "failed", "p99 ms"})
    out += head_cell(name, true);
  out += "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  const std::size_t shown = std::min(shapes.size(), kMaxShapesAsHtml);
  for (std::size_t i = 0; i < shown; ++i) out += row_of(shapes[i]);
  out += "</tbody>\n</table>\n";
  if (shapes.size() > shown)
    out += html_element("p class=\"quiet\"", "... and " + counted(shapes.size() - shown, "more shape", "more shapes") +
                                                 ", which --format json has") +
           "\n";
  return out + "</section>\n";
}

std::string tests_section(const ReportView& view) {
  if (view.tests.empty()) return "";
  std::string out = "<section>\n<h2>Tests, the most entities scanned first</h2>\n<ul>\n";
  for (const auto& test : view.tests) out += html_element("li", html_text(test)) + "\n";
  return out + "</ul>\n</section>\n";
}

std::string cost_cells(const CostRow& row, const std::string& currency) {
  return "<tr role=\"row\">" + html_element("td role=\"cell\" class=\"shape\"", html_text(row.label)) +
         number_cell("transactions", with_commas(row.transactions)) +
         number_cell(html_text(currency), text_of_cost(row.cost)) + "</tr>\n";
}

std::string costs_section(const ReportView& view) {
  if (!view.verdict.cost) return "";
  const CostTable& cost = *view.verdict.cost;
  std::string out = "<section>\n<h2>Costs</h2>\n<p>";
  out += cost.times == 1 ? "At" : "Of " + with_commas(cost.times) + " times these requests, at";
  out += " the prices of " + html_text(cost.date) + " (" + html_text(cost.source) + ").</p>\n" +
         std::string(kTableStart) + head_cell("", false) + head_cell("transactions", true) +
         head_cell(html_text(cost.currency), true) + "</tr></thead>\n<tbody role=\"rowgroup\">\n";
  for (const auto& row : cost.rows) out += cost_cells(row, cost.currency);
  return out + "</tbody>\n<tfoot role=\"rowgroup\">\n" + cost_cells(cost.total, cost.currency) +
         "</tfoot>\n</table>\n</section>\n";
}

}  // namespace

std::string render_html(const ReportView& view) {
  return head_of_page(view.headline) + header_of_page(view) + "<main>\n" + violations_section(view) +
         charts_section(view) + shapes_section(view) + tests_section(view) + costs_section(view) +
         (view.report.permissions ? roles_section(*view.report.permissions) : "") + kEndOfPage;
}

std::string render_roles_page(const PermissionNeeds& needs) {
  const std::string title = "roles and signatures";
  return head_of_page(title) + "<header>\n" + html_element("h1", "rocktable: " + title) + "\n</header>\n<main>\n" +
         roles_section(needs) + kEndOfPage;
}

}  // namespace rocktable
