// Figures of all targets, as a table for people and as JSON for programs.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bench/samples.h"

namespace rocktable {

enum class Unit { PerSecond, Microseconds, Mebibytes, Bytes };

// Keeps rows in the order in which they were first named, a column for each target.
class Report {
 public:
  // `targets`: the first one is compared with all others.
  explicit Report(std::vector<std::string> targets) : targets_(std::move(targets)) {}

  // One round's figure. All rounds' median is told, and how far they spread.
  void add(const std::string& scenario, Unit unit, const std::string& target, double figure);
  // Latencies behind a figure: their median and 99th percentile are told, too.
  void add_latencies(const std::string& scenario, const std::string& target, const Samples& samples);

  double median(const std::string& scenario, const std::string& target) const;

  // Markdown: medians with the least and the most, and how many times better the first target is than each other.
  void print() const;
  nlohmann::json to_json() const;

 private:
  struct Cell {
    std::vector<double> figures;
    std::vector<double> p50, p99;  // of each round, us
  };
  struct Row {
    std::string scenario;
    Unit unit;
    std::map<std::string, Cell> cells;
  };

  Row& row(const std::string& scenario, Unit unit);
  const Cell* cell(const Row& row, const std::string& target) const;
  double times_better(const Row& row, const std::string& other) const;

  std::vector<std::string> targets_;
  std::vector<Row> rows_;
};

}  // namespace rocktable
