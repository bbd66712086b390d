// Charts as SVG elements, for a page that has the style of report_style.h. They are made for a width of 400 CSS pixels
// or more.
#pragma once

#include <string>
#include <vector>

namespace rocktable {

struct Bar {
  std::string label;
  double value = 0;  // at least 0
  std::string text;  // the value as shown
  bool is_bad = false;
};

// Bars from zero on a linear axis. `title` is for readers who do not see the chart.
std::string bar_chart(const std::string& title, const std::vector<Bar>& bars);

struct Span {
  std::string label;
  double low = 0, high = 0;  // at least 0, in any order
  std::string text;          // both values as shown
};

// For each span a hollow point at `low` and a filled one at `high`, joined by a line, on a logarithmic axis: the length
// of a line shows the ratio. The axis starts at `min`, a power of ten; lower values are drawn there.
std::string span_chart(const std::string& title, const std::vector<Span>& spans, double min);

}  // namespace rocktable
