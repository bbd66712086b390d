#include "client/report/render/charts.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "client/report/render/html_text.h"
#include "client/terminal/text_width.h"

namespace rocktable {
namespace {

// All in units of the view box, which are CSS pixels at a width of 400.
constexpr double kChartWidth = 400, kMargin = 8, kRowHeight = 38, kLane = 25, kAxisHeight = 22;
constexpr double kPlotWidth = kChartWidth - 2 * kMargin;
constexpr std::size_t kRowCharacters = 56;  // of label and value together

// At most two decimals, without trailing zeros.
std::string svg_number(double number) { return shortest(std::round(number * 100) / 100); }

// ` name="value"`
std::string svg_attribute(const char* name, double value) {
  return " " + std::string(name) + "=\"" + svg_number(value) + "\"";
}

std::string svg_text(double x, double y, const char* css_class, const std::string& text) {
  return "<text class=\"" + std::string(css_class) + "\"" + svg_attribute("x", x) + svg_attribute("y", y) + ">" +
         html_text(text) + "</text>";
}

// The label, cut to the room that the value leaves it, and the value at the right end.
std::string row_head(const std::string& label, const std::string& value, double y) {
  const std::size_t used = width_of(value) + 2;
  const std::size_t room = used < kRowCharacters ? kRowCharacters - used : 1;
  const std::string shown = width_of(label) <= room ? label : std::string(shortened(label, room - 1)) + "…";
  return "<text class=\"label\"" + svg_attribute("x", kMargin) + svg_attribute("y", y + 12) + "><title>" +
         html_text(label) + "</title>" + html_text(shown) + "</text>" +
         svg_text(kChartWidth - kMargin, y + 12, "value", value) + "\n";
}

std::string chart_start(const std::string& title, double height) {
  return "<svg role=\"img\" viewBox=\"0 0 " + svg_number(kChartWidth) + " " + svg_number(height) + "\"><title>" +
         html_text(title) + "</title>\n";
}

// A decade of the axis as `0.01`, `100`, `10k`, `1M`.
std::string tick_text(int decade) {
  if (decade < 0) return "0." + std::string(static_cast<std::size_t>(-decade - 1), '0') + "1";
  constexpr std::array<const char*, 7> kSuffixes = {"", "k", "M", "G", "T", "P", "E"};
  const auto group = std::min<std::size_t>(static_cast<std::size_t>(decade) / 3, kSuffixes.size() - 1);
  return "1" + std::string(static_cast<std::size_t>(decade) - 3 * group, '0') + kSuffixes[group];
}

// From `min` to a power of ten that no value exceeds.
class LogarithmicAxis {
 public:
  LogarithmicAxis(double min, double max)
      : first_(static_cast<int>(std::lround(std::log10(min)))),
        last_(std::max(first_ + 1, static_cast<int>(std::ceil(std::log10(std::max(max, min)))))) {}

  double x_of(double value) const {
    const double decade = value > 0 ? std::log10(value) : first_;
    return kMargin + kPlotWidth * std::clamp((decade - first_) / (last_ - first_), 0.0, 1.0);
  }

  // Lines for the decades, with their numbers below.
  std::string render(double height) const {
    std::string out;
    const int step = (last_ - first_ + 7) / 8;
    for (int decade = first_; decade <= last_; decade += step) {
      const double x = kMargin + kPlotWidth * (decade - first_) / (last_ - first_);
      out += "<line class=\"grid\"" + svg_attribute("x1", x) + svg_attribute("x2", x) + " y1=\"0\"" +
             svg_attribute("y2", height) + "/>";
      out += svg_text(x, height + 14,
                      decade == first_  ? "tick first"
                      : decade == last_ ? "tick last"
                                        : "tick",
                      tick_text(decade)) +
             "\n";
    }
    return out;
  }

 private:
  int first_, last_;  // powers of ten
};

std::string point(const char* css_class, double x, double y) {
  return "<circle class=\"" + std::string(css_class) + "\"" + svg_attribute("cx", x) + svg_attribute("cy", y) +
         " r=\"5\"/>";
}

}  // namespace

std::string bar_chart(const std::string& title, const std::vector<Bar>& bars) {
  double max = 0;
  for (const Bar& bar : bars) max = std::max(max, bar.value);
  std::string out = chart_start(title, kRowHeight * static_cast<double>(bars.size()));
  double y = 0;
  for (const Bar& bar : bars) {
    out += row_head(bar.label, bar.text, y);
    // A value that is not zero stays visible.
    const double width = bar.value <= 0 ? 0 : std::max(2.0, kPlotWidth * bar.value / max);
    out += "<rect class=\"" + std::string(bar.is_bad ? "bad" : "bar") + "\"" + svg_attribute("x", kMargin) +
           svg_attribute("y", y + kLane - 6) + svg_attribute("width", width) + " height=\"12\"/>\n";
    y += kRowHeight;
  }
  return out + "</svg>\n";
}

std::string span_chart(const std::string& title, const std::vector<Span>& spans, double min) {
  double max = min;
  for (const Span& span : spans) max = std::max({max, span.low, span.high});
  const LogarithmicAxis axis(min, max);
  const double height = kRowHeight * static_cast<double>(spans.size());
  std::string out = chart_start(title, height + kAxisHeight) + axis.render(height);
  double y = 0;
  for (const Span& span : spans) {
    const double low = axis.x_of(span.low), high = axis.x_of(span.high), lane = y + kLane;
    out += row_head(span.label, span.text, y) + "<line class=\"span\"" + svg_attribute("x1", low) +
           svg_attribute("x2", high) + svg_attribute("y1", lane) + svg_attribute("y2", lane) + "/>" +
           point("high", high, lane) + point("low", low, lane) + "\n";
    y += kRowHeight;
  }
  return out + "</svg>\n";
}

}  // namespace rocktable
