// Computes medians and spreads, and prints them.
#include "bench/report.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rocktable {
namespace {

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string text_of(Unit unit, double figure) {
  switch (unit) {
    case Unit::PerSecond:
      return number(figure < 1'000 ? "%.1f /s" : "%.0f /s", figure);
    case Unit::Microseconds:
      return duration_text(figure);
    case Unit::Mebibytes:
      return number("%.1f MiB", figure);
    case Unit::Bytes:
      return number("%.0f B", figure);
  }
  return "";
}

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::PerSecond:
      return "1/s";
    case Unit::Microseconds:
      return "us";
    case Unit::Mebibytes:
      return "MiB";
    case Unit::Bytes:
      return "B";
  }
  return "";
}

}  // namespace

Report::Row& Report::row(const std::string& scenario, Unit unit) {
  const auto found = std::ranges::find(rows_, scenario, &Row::scenario);
  return found != rows_.end() ? *found : rows_.emplace_back(Row{scenario, unit, {}});
}

const Report::Cell* Report::cell(const Row& row, const std::string& target) const {
  const auto found = row.cells.find(target);
  return found == row.cells.end() ? nullptr : &found->second;
}

void Report::add(const std::string& scenario, Unit unit, const std::string& target, double figure,
                 const std::optional<CpuTimes>& cpu) {
  Cell& cell = row(scenario, unit).cells[target];
  cell.figures.push_back(figure);
  if (cpu) (cell.cpu ? *cell.cpu : cell.cpu.emplace()) += *cpu;
}

void Report::add_latencies(const std::string& scenario, const std::string& target, const Samples& samples) {
  Cell& cell = row(scenario, Unit::PerSecond).cells[target];
  cell.p50.push_back(samples.quantile(0.5));
  cell.p99.push_back(samples.quantile(0.99));
}

double Report::median(const std::string& scenario, const std::string& target) const {
  const auto found = std::ranges::find(rows_, scenario, &Row::scenario);
  if (found == rows_.end()) throw std::out_of_range(scenario);
  return median_of(found->cells.at(target).figures);
}

double Report::times_better(const Row& row, const std::string& other) const {
  const double first = median_of(cell(row, targets_.front())->figures);
  const double second = median_of(cell(row, other)->figures);
  return row.unit == Unit::PerSecond ? first / second : second / first;
}

void Report::print() const {
  std::string head = "| scenario |", line = "| --- |";
  for (const auto& target : targets_) head += " " + target + " |", line += " ---: |";
  head += " p50 / p99 | client |", line += " ---: | ---: |";
  for (std::size_t i = 1; i < targets_.size(); ++i)
    head += " times better than " + targets_[i] + " |", line += " ---: |";
  std::printf("%s\n%s\n", head.c_str(), line.c_str());

  for (const auto& row : rows_) {
    std::string text = "| " + row.scenario + " |";
    for (const auto& target : targets_) {
      const Cell* found = cell(row, target);
      if (found == nullptr || found->figures.empty()) {
        text += " |";
        continue;
      }
      const auto [min, max] = std::ranges::minmax(found->figures);
      text += " " + text_of(row.unit, median_of(found->figures));
      if (found->figures.size() > 1) text += " (" + text_of(row.unit, min) + " to " + text_of(row.unit, max) + ")";
      text += " |";
    }
    const Cell* first = cell(row, targets_.front());
    const bool latencies = first != nullptr && !first->p50.empty();
    text += latencies ? " " + duration_text(median_of(first->p50)) + " / " + duration_text(median_of(first->p99)) + " |"
                      : " |";
    text += first != nullptr && first->cpu ? number(" %.0f %% |", 100 * first->cpu->client_share()) : " |";
    for (std::size_t i = 1; i < targets_.size(); ++i) {
      const bool both = first != nullptr && cell(row, targets_[i]) != nullptr;
      text += both ? number(" %.2f |", times_better(row, targets_[i])) : " |";
    }
    std::printf("%s\n", text.c_str());
  }
  std::printf("\nclient: the share of this program in the CPU time that it and %s used together.\n",
              targets_.front().c_str());
}

nlohmann::json Report::to_json() const {
  auto out = nlohmann::json::array();
  for (const auto& row : rows_) {
    for (const auto& [target, cell] : row.cells) {
      nlohmann::json figure = {{"scenario", row.scenario},
                               {"target", target},
                               {"unit", name_of(row.unit)},
                               {"median", median_of(cell.figures)},
                               {"rounds", cell.figures}};
      if (!cell.p50.empty()) {
        figure["p50"] = median_of(cell.p50);
        figure["p99"] = median_of(cell.p99);
      }
      if (cell.cpu) figure["client_share"] = cell.cpu->client_share();
      out.push_back(std::move(figure));
    }
  }
  return {{"targets", targets_}, {"figures", std::move(out)}};
}

}  // namespace rocktable
