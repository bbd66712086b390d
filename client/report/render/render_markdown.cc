#include "client/report/render/render_markdown.h"

#include <algorithm>

#include "base/text.h"
#include "client/report/render/markdown_text.h"
#include "client/report/render/render_roles.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOpen = 10;               // rows or items that are not in <details>
constexpr std::size_t kMaxShapesAsMarkdown = 200;  // a summary of a job has at most 1 MiB
constexpr std::size_t kMaxItemsAsMarkdown = 100;   // violations of a group

std::string summary_line(const std::string& text) { return "<details><summary>" + text + "</summary>\n\n"; }

// Calls `append` for the first `limit` of `count` items. Those from kMaxOpen on are in <details>. `again` starts them,
// such as with the head of a table.
template <class Append>
void append_collapsed(std::string& out, std::size_t count, std::size_t limit, const std::string& again,
                      const Append& append) {
  const std::size_t open = std::min(count, kMaxOpen), shown = std::min(count, limit);
  for (std::size_t i = 0; i < open; ++i) append(i);
  if (shown > open) {
    out += "\n" + summary_line(with_commas(shown - open) + " more") + again;
    for (std::size_t i = open; i < shown; ++i) append(i);
    out += "\n</details>\n";
  }
  if (count > shown) out += "\n... and " + with_commas(count - shown) + " more, which `--format json` has.\n";
}

std::string code_or_nothing(const std::string& text) { return text.empty() ? "" : markdown_code(text); }

void append_shapes_as_markdown(std::string& out, const std::vector<ShapeStatistics>& shapes) {
  if (shapes.empty()) return;
  const std::string head =
      "| scanned per returned | scanned | returned | requests | failed | p99 ms | class | shape |\n"
      "| ---: | ---: | ---: | ---: | ---: | ---: | --- | --- |\n";
  out += "\n### Shapes, the worst first\n\n" + head;
  append_collapsed(out, shapes.size(), kMaxShapesAsMarkdown, head, [&](std::size_t i) {
    const ShapeStatistics& shape = shapes[i];
    out += "| " + text_of_ratio(shape) + " | " + text_of_scanned(shape) + " | " + text_of_returned(shape) + " | " +
           with_commas(shape.requests) + " | " + with_commas(shape.errors) + " | " +
           text_of_milliseconds(shape.milliseconds.p99) + " | " + markdown_prose(shape.plan) + " | " +
           code_or_nothing(text_of_place(shape)) + " |\n";
  });
}

// Within an item of a list. The code has no fence of its own: it holds nothing but names of properties.
void append_design(std::string& out, const DesignAdvice& design) {
  out += "  <br>**Here:** " + markdown_prose(design.sentence) + "\n  " +
         summary_line(design.code.empty() ? "Why" : "Why, and as code");
  out += "  " + markdown_prose(design.why) + "\n";
  if (!design.code.empty()) {
    out += "\n  ```" + design.language + "\n";
    for (const std::string& line : design.code) out.append(line.empty() ? "" : "  ").append(line).append("\n");
    out += "  ```\n";
  }
  out += "\n  </details>\n";
}

void append_item(std::string& out, const Violation& violation) {
  out += "- " + markdown_prose(violation.sentence) + "\n";
  const auto append_line = [&](const std::string& text) { out += "  <br>" + text + "\n"; };
  if (const std::string place = text_of_place(violation); !place.empty()) append_line(markdown_code(place));
  if (!violation.allowed.empty()) append_line("allowed: " + markdown_prose(violation.allowed));
  if (!violation.test.empty()) append_line("test: " + markdown_code(violation.test));
  if (!violation.example.empty()) append_line("example: " + markdown_code(violation.example));
  if (violation.design) append_design(out, *violation.design);
}

void append_group_as_markdown(std::string& out, const ViolationGroup& group) {
  out +=
      "\n### " + std::string(group.level == Level::Error ? "❌ error: " : "⚠️ warning: ") + markdown_prose(group.title);
  if (group.violations.size() > 1) out += " (" + with_commas(group.violations.size()) + ")";
  out += "\n\n";
  append_collapsed(out, group.violations.size(), kMaxItemsAsMarkdown, "",
                   [&](std::size_t i) { append_item(out, group.violations[i]); });
  if (!group.advice.empty()) out += "\n**Better:** " + markdown_prose(group.advice) + "\n";
  if (!group.link.empty()) out += "\nSee " + markdown_code(group.link) + ".\n";
}

void append_costs_as_markdown(std::string& out, const CostTable& cost) {
  out += "\n### Costs\n\n";
  if (cost.times != 1) out += "For " + with_commas(cost.times) + " times these requests, at";
  out += std::string(cost.times == 1 ? "At" : "") + " the prices of " + markdown_prose(cost.date) + " (" +
         markdown_prose(cost.source) + ").\n\n";
  const std::string head = "| " + markdown_prose(cost.currency) + " | transactions | |\n| ---: | ---: | --- |\n";
  const auto append_row = [&](const CostRow& row, const std::string& label) {
    out += "| " + text_of_cost(row.cost) + " | " + with_commas(row.transactions) + " | " + label + " |\n";
  };
  out += head;
  append_row(cost.total, "**" + markdown_prose(cost.total.label) + "**");
  append_collapsed(out, cost.rows.size(), kMaxShapesAsMarkdown, head,
                   [&](std::size_t i) { append_row(cost.rows[i], code_or_nothing(cost.rows[i].label)); });
}

}  // namespace

std::string render_markdown(const ReportView& view) {
  std::string out = "## rocktable: " + markdown_prose(view.headline) + "\n\n";
  if (!view.period.empty()) out += markdown_prose(view.period) + ": ";
  out += markdown_prose(view.summary) + ".\n";
  for (const auto& note : view.notes) out += "\n" + markdown_prose(note) + "\n";
  if (!view.tables.empty()) out += '\n';
  for (const auto& table : view.tables) out += "- " + markdown_prose(table) + "\n";
  for (const auto& group : view.groups) append_group_as_markdown(out, group);
  if (!view.verdict.unused_rules.empty()) out += "\n### Rules that no shape used\n\n";
  for (const auto& rule : view.verdict.unused_rules) out += "- " + markdown_prose(rule) + "\n";
  append_shapes_as_markdown(out, view.report.shapes);
  if (!view.tests.empty()) out += "\n### Tests, the most entities scanned first\n\n";
  for (const auto& test : view.tests) out += "- " + markdown_prose(test) + "\n";
  if (view.verdict.cost) append_costs_as_markdown(out, *view.verdict.cost);
  if (view.report.permissions) out += roles_as_markdown(*view.report.permissions);
  return out;
}

}  // namespace rocktable
