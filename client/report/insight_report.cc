#include "client/report/insight_report.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rocktable {
namespace {

// Keeps the text that both have, else nothing.
void keep_common(std::string& text, const std::string& other) {
  if (text != other) text.clear();
}

std::string earlier(const std::string& a, const std::string& b) { return a.empty() || (!b.empty() && b < a) ? b : a; }

double weighted_mean(double a, std::uint64_t count_of_a, double b, std::uint64_t count_of_b) {
  const double total = static_cast<double>(count_of_a) + static_cast<double>(count_of_b);
  return total == 0 ? a : (a * static_cast<double>(count_of_a) + b * static_cast<double>(count_of_b)) / total;
}

void add_to(ShapeStatistics& sum, const ShapeStatistics& other) {
  keep_common(sum.account, other.account);
  keep_common(sum.client, other.client);
  keep_common(sum.test, other.test);
  if (other.entities_scanned > sum.entities_scanned) sum.example = other.example;  // before they are added
  sum.milliseconds.p50 = weighted_mean(sum.milliseconds.p50, sum.requests, other.milliseconds.p50, other.requests);
  sum.milliseconds.p99 = std::max(sum.milliseconds.p99, other.milliseconds.p99);
  sum.milliseconds.max = std::max(sum.milliseconds.max, other.milliseconds.max);
  sum.requests += other.requests;
  sum.errors += other.errors;
  sum.not_found += other.not_found;
  sum.conflicts += other.conflicts;
  sum.preconditions_failed += other.preconditions_failed;
  sum.continuations += other.continuations;
  sum.unbilled += other.unbilled;
  sum.counts_entities = sum.counts_entities && other.counts_entities;
  sum.abandoned += other.abandoned;
  sum.entities_scanned += other.entities_scanned;
  sum.entities_scanned_here += other.entities_scanned_here;
  sum.most_scanned_per_request = std::max(sum.most_scanned_per_request, other.most_scanned_per_request);
  sum.entities_returned += other.entities_returned;
  sum.entities_written += other.entities_written;
  sum.bytes_read += other.bytes_read;
  sum.bytes_sent += other.bytes_sent;
  // They may be the same partitions.
  sum.partitions = std::max(sum.partitions, other.partitions);
  sum.partitions_exact = false;
  sum.max_partitions_per_request = std::max(sum.max_partitions_per_request, other.max_partitions_per_request);
  sum.first_seen = earlier(sum.first_seen, other.first_seen);
  sum.last_seen = std::max(sum.last_seen, other.last_seen);
}

void add_to(Finding& sum, const Finding& other) {
  keep_common(sum.account, other.account);
  keep_common(sum.client, other.client);
  keep_common(sum.test, other.test);
  sum.count += other.count;
}

auto identity_of(const ShapeStatistics& shape) {
  return std::tie(shape.table, shape.operation, shape.fingerprint, shape.select, shape.plan);
}

auto identity_of(const Finding& finding) {
  return std::tie(finding.id, finding.table, finding.operation, finding.fingerprint);
}

bool is_worse(const ShapeStatistics& a, const ShapeStatistics& b) {
  const auto weight = [](const ShapeStatistics& shape) {
    return std::tuple(scanned_per_returned(shape), shape.entities_scanned, shape.requests);
  };
  const auto weight_of_a = weight(a), weight_of_b = weight(b);
  return weight_of_a != weight_of_b ? weight_of_a > weight_of_b : identity_of(a) < identity_of(b);
}

bool is_worse(const Finding& a, const Finding& b) {
  return a.count != b.count ? a.count > b.count : identity_of(a) < identity_of(b);
}

// Adds up those with the same identity, in the order of their first occurrence, and puts the worst first.
template <class Item>
std::vector<Item> added_up(std::vector<Item> items) {
  using Identity = decltype(identity_of(items.front()));
  std::vector<Item> out;
  out.reserve(items.size());  // the keys of the map refer to its elements
  std::map<Identity, std::size_t> places;
  for (Item& item : items) {
    if (const auto place = places.find(identity_of(item)); place != places.end()) {
      add_to(out[place->second], item);
    } else {
      out.push_back(std::move(item));
      places.emplace(identity_of(out.back()), out.size() - 1);
    }
  }
  std::sort(out.begin(), out.end(), [](const Item& a, const Item& b) { return is_worse(a, b); });
  return out;
}

}  // namespace

InsightReport merged(InsightReport report) {
  report.shapes = added_up(std::move(report.shapes));
  // The sentence of the highest count stays.
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.count > b.count; });
  report.findings = added_up(std::move(report.findings));
  return report;
}

double scanned_per_returned(const ShapeStatistics& shape) {
  return static_cast<double>(shape.entities_scanned) /
         static_cast<double>(std::max<std::uint64_t>(shape.entities_returned, 1));
}

}  // namespace rocktable
