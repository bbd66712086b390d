#include "client/report/render/render_text.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "client/terminal/text_width.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxShapesAsText = 40;      // of the worst
constexpr std::size_t kMaxViolationsAsText = 10;  // of a group
constexpr std::size_t kGap = 2;                   // between columns
constexpr std::size_t kEnoughForShape = 36;       // with fewer columns for it, others are left out
constexpr std::size_t kMinForShape = 24;          // with fewer columns there is no table

constexpr std::string_view kBold = "\x1B[1m", kRed = "\x1B[1;31m", kYellow = "\x1B[33m", kDim = "\x1B[2m",
                           kPlain = "\x1B[0m";

std::string coloured(std::string_view text, std::string_view colour, const RenderOptions& options) {
  return options.colour ? std::string(colour).append(text).append(kPlain) : std::string(text);
}

// Breaks words that have more than `width` characters.
std::string with_short_words(std::string_view text, std::size_t width) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, end);
    while (width_of(word) > width) {
      const std::string_view piece = shortened(word, width);
      out.append(piece).append(" ");
      word.remove_prefix(piece.size());
    }
    out.append(word).append(end < text.size() ? " " : "");
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

// Text that starts at the column `at`, with an indentation of two more from its second line on.
void append_fitted(std::string& out, std::string_view text, std::size_t at, const RenderOptions& options) {
  const std::size_t indent = at + 2;
  const std::size_t width = options.columns > indent ? options.columns - indent : 1;
  append_folded(out, with_short_words(text, width), at, indent, options.columns);
}

// Lines with this indentation, and two more from the second on.
void append_paragraph(std::string& out, std::string_view text, std::size_t indent, const RenderOptions& options) {
  out.append(indent, ' ');
  append_fitted(out, text, indent, options);
  out += '\n';
}

// --- Shapes -------------------------------------------------------------------------------------------------

std::string class_cell(const ShapeStatistics& shape) { return shape.plan.empty() ? "-" : shape.plan; }

struct TextColumn {
  std::string_view name;
  std::string (*cell)(const ShapeStatistics&);
  int importance;  // the least important columns are left out first; 9: never
  bool is_number = true;
  bool is_of_entities = false;  // left out if nobody counted entities
};

constexpr TextColumn kTextColumns[] = {
    {"ratio", text_of_ratio, 9, true, true},
    {"scanned", text_of_scanned, 9, true, true},
    {"returned", text_of_returned, 3, true, true},
    {"requests", [](const ShapeStatistics& shape) { return with_commas(shape.requests); }, 9},
    {"failed", [](const ShapeStatistics& shape) { return with_commas(shape.errors); }, 1},
    {"p99 ms", [](const ShapeStatistics& shape) { return text_of_milliseconds(shape.milliseconds.p99); }, 2},
    {"class", class_cell, 9, false},
};

// A column with its cells, those of the shapes in their order.
struct TextCells {
  const TextColumn* column;
  std::vector<std::string> cells;
  std::size_t width;
};

std::vector<TextCells> cells_of(const std::vector<ShapeStatistics>& shapes, std::size_t count, bool counts_entities) {
  std::vector<TextCells> out;
  for (const auto& column : kTextColumns) {
    if (column.is_of_entities && !counts_entities) continue;
    TextCells cells{&column, {}, column.name.size()};
    for (std::size_t i = 0; i < count; ++i) {
      cells.cells.push_back(column.cell(shapes[i]));
      cells.width = std::max(cells.width, width_of(cells.cells.back()));
    }
    out.push_back(std::move(cells));
  }
  return out;
}

// Where the text of a shape starts: after these columns.
std::size_t shape_column(const std::vector<TextCells>& columns) {
  std::size_t out = 0;
  for (const auto& one : columns) out += one.width + kGap;
  return out;
}

// Leaves out columns until there is enough room for the shape.
void leave_out_columns(std::vector<TextCells>& columns, std::size_t total) {
  constexpr int kNever = 9;
  while (shape_column(columns) + kEnoughForShape > total) {
    const auto least = std::min_element(columns.begin(), columns.end(), [](const auto& a, const auto& b) {
      return a.column->importance < b.column->importance;
    });
    if (least->column->importance == kNever) return;
    columns.erase(least);
  }
}

void append_cell(std::string& out, std::string_view text, const TextCells& column, std::string_view colour,
                 const RenderOptions& options) {
  const std::string blanks(column.width - width_of(text), ' ');
  if (column.column->is_number) out += blanks;
  out += colour.empty() ? std::string(text) : coloured(text, colour, options);
  if (!column.column->is_number) out += blanks;
  out.append(kGap, ' ');
}

void append_shape_table(std::string& out, const std::vector<ShapeStatistics>& shapes,
                        const std::vector<TextCells>& columns, const RenderOptions& options) {
  for (const auto& column : columns) append_cell(out, column.column->name, column, kBold, options);
  out += coloured("shape", kBold, options) + "\n";
  const std::size_t at = shape_column(columns);
  for (std::size_t i = 0; i < columns.front().cells.size(); ++i) {
    for (const auto& column : columns) {
      const bool is_bad = !column.column->is_number && reads_several_partitions(shapes[i].plan);
      append_cell(out, column.cells[i], column, is_bad ? kYellow : "", options);
    }
    append_fitted(out, text_of_place(shapes[i]), at, options);
    out += '\n';
  }
}

void append_shape_lines(std::string& out, const ShapeStatistics& shape, const RenderOptions& options) {
  append_paragraph(out, text_of_place(shape), 0, options);
  std::string about = shape.plan.empty() ? "" : shape.plan + ", ";
  about += counted(shape.requests, "request", "requests");
  if (shape.errors > 0) about += ", " + with_commas(shape.errors) + " failed";
  about += ", p99 " + text_of_milliseconds(shape.milliseconds.p99) + " ms";
  append_paragraph(out, about, 2, options);
  if (shape.entities_scanned > 0)
    append_paragraph(out,
                     text_of_scanned(shape) + " scanned, " + with_commas(shape.entities_returned) +
                         " returned: ratio " + text_of_ratio(shape),
                     2, options);
}

void append_shapes(std::string& out, const ReportView& view, const RenderOptions& options) {
  const auto& shapes = view.report.shapes;
  if (shapes.empty()) return;
  const std::size_t count = std::min(shapes.size(), kMaxShapesAsText);
  out += '\n';
  append_paragraph(out,
                   view.totals.counts_entities
                       ? "Shapes, the worst first (ratio: entities scanned for each one returned)"
                       : "Shapes, those with the most requests first",
                   0, options);
  out += '\n';
  auto columns = cells_of(shapes, count, view.totals.counts_entities);
  leave_out_columns(columns, options.columns);
  if (shape_column(columns) + kMinForShape <= options.columns) {
    append_shape_table(out, shapes, columns, options);
  } else {
    for (std::size_t i = 0; i < count; ++i) append_shape_lines(out, shapes[i], options);
  }
  if (shapes.size() > count)
    append_paragraph(
        out, "... and " + counted(shapes.size() - count, "more shape", "more shapes") + ", which --format json has", 0,
        options);
}

// --- Violations ---------------------------------------------------------------------------------------------

void append_design(std::string& out, const DesignAdvice& design, const RenderOptions& options) {
  constexpr std::size_t kIndent = 4;
  append_paragraph(out, "Here: " + design.sentence, kIndent, options);
  if (!options.explains) return;
  append_paragraph(out, "Why: " + design.why, kIndent, options);
  for (const std::string& line : design.code) out.append(kIndent + 2, ' ').append(line).append("\n");
}

void append_violation(std::string& out, const Violation& violation, const RenderOptions& options) {
  constexpr std::size_t kIndent = 2;
  append_paragraph(out, violation.sentence, kIndent, options);
  if (const std::string place = text_of_place(violation); !place.empty())
    append_paragraph(out, place, kIndent + 2, options);
  if (!violation.allowed.empty()) append_paragraph(out, "allowed: " + violation.allowed, kIndent + 2, options);
  if (!violation.test.empty()) append_paragraph(out, "test: " + violation.test, kIndent + 2, options);
  if (violation.design) append_design(out, *violation.design, options);
  // Not folded, so that it can be copied.
  if (!violation.example.empty())
    out.append(kIndent + 2, ' ').append(coloured(violation.example, kDim, options)).append("\n");
}

void append_group(std::string& out, const ViolationGroup& group, const RenderOptions& options) {
  const bool is_error = group.level == Level::Error;
  out += coloured(to_string(group.level), is_error ? kRed : kYellow, options);
  std::string title = ": " + group.title;
  const std::size_t count = group.violations.size();
  if (count > 1) title += " (" + with_commas(count) + ")";
  append_folded(out, title, to_string(group.level).size(), 2, options.columns);
  out += '\n';
  const std::size_t shown = std::min(count, kMaxViolationsAsText);
  for (std::size_t i = 0; i < shown; ++i) append_violation(out, group.violations[i], options);
  if (count > shown) append_paragraph(out, "... and " + with_commas(count - shown) + " more", 2, options);
  if (!group.advice.empty()) append_paragraph(out, "Better: " + group.advice, 2, options);
  if (!group.link.empty()) out.append("  See ").append(group.link).append("\n");  // not broken
}

// --- Costs --------------------------------------------------------------------------------------------------

void append_cost_row(std::string& out, const CostRow& row, const std::string& currency, const RenderOptions& options) {
  append_paragraph(out,
                   text_of_cost(row.cost) + " " + currency + ": " + row.label +
                       (row.transactions == 0 ? "" : ", " + counted(row.transactions, "transaction", "transactions")),
                   2, options);
}

void append_costs(std::string& out, const CostTable& cost, const RenderOptions& options) {
  out += '\n';
  std::string title = "Costs";
  if (cost.times != 1) title += " of " + with_commas(cost.times) + " times these requests";
  title += ", at the prices of " + cost.date + " (" + cost.source + ")";
  append_paragraph(out, title, 0, options);
  for (const auto& row : cost.rows) append_cost_row(out, row, cost.currency, options);
  append_cost_row(out, cost.total, cost.currency, options);
}

}  // namespace

std::string render_violations_as_text(const ReportView& view, const RenderOptions& options) {
  std::string out;
  for (const auto& group : view.groups) {
    if (!out.empty()) out += '\n';
    append_group(out, group, options);
  }
  return out;
}

std::string render_text(const ReportView& view, const RenderOptions& options) {
  std::string headline, out;
  append_fitted(headline, "rocktable: " + view.headline, 0, options);
  out += coloured(headline, kBold, options) + "\n";
  if (!view.period.empty()) append_paragraph(out, view.period, 0, options);
  append_paragraph(out, view.summary, 0, options);
  for (const auto& note : view.notes) append_paragraph(out, note, 0, options);
  for (const auto& table : view.tables) append_paragraph(out, table, 2, options);
  append_shapes(out, view, options);
  if (const std::string violations = render_violations_as_text(view, options); !violations.empty())
    out.append("\n").append(violations);
  if (!view.tests.empty()) {
    out += '\n';
    append_paragraph(out, view.totals.counts_entities ? "Tests, the most entities scanned first" : "Tests", 0, options);
  }
  for (const auto& test : view.tests) append_paragraph(out, test, 2, options);
  if (!view.verdict.unused_rules.empty()) out += '\n';
  for (const auto& rule : view.verdict.unused_rules) append_paragraph(out, rule, 0, options);
  if (view.verdict.cost) append_costs(out, *view.verdict.cost, options);
  return out;
}

}  // namespace rocktable
