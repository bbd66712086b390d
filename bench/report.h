// Results of all targets, as a table for people and as JSON for programs.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/cpu_time.h"
#include "bench/samples.h"

namespace rocktable {

enum class Unit { PerSecond, Microseconds, Mebibytes, Bytes };

// Keeps rows in the order of their first use, with a column for each target.
class Report {
 public:
  // The report compares the first of `targets` with all others.
  explicit Report(std::vector<std::string> targets) : targets_(std::move(targets)) {}

  // Adds the figure of one round. The report shows the median of all rounds and their spread. `cpu`: what the
  // round used. The report shows the client's share of the sum of all rounds, because one round may be short.
  void add(const std::string& scenario, Unit unit, const std::string& target, double figure,
           const std::optional<CpuTimes>& cpu = std::nullopt);
  // Adds the latencies behind a figure. The report shows their median and 99th percentile, too.
  void add_latencies(const std::string& scenario, const std::string& target, const Samples& samples);

  double median(const std::string& scenario, const std::string& target) const;

  // Prints Markdown: medians with minimum and maximum, latencies and the client's share of the CPU time for
  // the first target, and the ratio of the first target to each other one.
  void print() const;
  nlohmann::json to_json() const;

 private:
  struct Cell {
    std::vector<double> figures;
    std::vector<double> p50, p99;  // of each round, us
    std::optional<CpuTimes> cpu;   // of all rounds
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
