#include "server/events/request_metrics.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <numeric>

namespace rocktable {
namespace {

double seconds(std::chrono::microseconds time) { return std::chrono::duration<double>(time).count(); }

void begin_metric(std::string& out, std::string_view name, std::string_view help, std::string_view type) {
  out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, help, type);
}

void add_store(std::string& out, const Store& store) {
  begin_metric(out, "rocktable_store_up", "1 while the store is available.", "gauge");
  out += fmt::format("rocktable_store_up {}\n", store.unavailable() ? 0 : 1);
  std::string_view last;
  for (const StoreMetric& one : store.metrics()) {
    if (one.name != last) begin_metric(out, one.name, one.help, one.is_counter ? "counter" : "gauge");
    last = one.name;
    out += fmt::format("{}{}{}{} {}\n", one.name, one.labels.empty() ? "" : "{", one.labels,
                       one.labels.empty() ? "" : "}", one.value);
  }
}

}  // namespace

void RequestMetrics::Counts::add(const Counts& more) {
  std::ranges::transform(durations, more.durations, durations.begin(), std::plus<>());
  sum += more.sum;
}

std::uint64_t RequestMetrics::Counts::requests() const {
  return std::accumulate(durations.begin(), durations.end(), std::uint64_t{0});
}

void RequestMetrics::record(const RequestEvent& event) {
  if (event.key == nullptr) return;
  const Key key{event.key->operation, event.key->plan_class, event.status};
  const auto bucket = std::ranges::lower_bound(kBounds, event.duration) - kBounds.begin();
  Shard& shard = shards_.of_this_thread();
  const std::lock_guard lock(shard.lock);
  if (shard.last == nullptr || shard.last->first != key) shard.last = &*shard.counts.try_emplace(key).first;
  Counts& counts = shard.last->second;
  ++counts.durations[static_cast<std::size_t>(bucket)];
  counts.sum += event.duration;
}

std::string RequestMetrics::to_text(const Store& store) const {
  CountsByKey all;
  for (const Shard& shard : shards_) {
    const std::lock_guard lock(shard.lock);
    for (const auto& [key, counts] : shard.counts) all[key].add(counts);
  }
  std::string out;
  begin_metric(out, "rocktable_requests_total", "Requests to the table service.", "counter");
  std::map<std::string_view, Counts> by_operation;
  for (const auto& [key, counts] : all) {
    out += fmt::format("rocktable_requests_total{{operation=\"{}\",plan=\"{}\",status=\"{}\"}} {}\n", key.operation,
                       key.plan_class, key.status, counts.requests());
    by_operation[key.operation].add(counts);
  }
  constexpr std::string_view kDuration = "rocktable_request_duration_seconds";
  begin_metric(out, kDuration, "From the last byte of a request to its response.", "histogram");
  for (const auto& [operation, counts] : by_operation) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < kBounds.size(); ++i) {
      sum += counts.durations[i];
      out +=
          fmt::format("{}_bucket{{operation=\"{}\",le=\"{}\"}} {}\n", kDuration, operation, seconds(kBounds[i]), sum);
    }
    out += fmt::format(
        "{0}_bucket{{operation=\"{1}\",le=\"+Inf\"}} {2}\n{0}_sum{{operation=\"{1}\"}} {3}\n"
        "{0}_count{{operation=\"{1}\"}} {2}\n",
        kDuration, operation, counts.requests(), seconds(counts.sum));
  }
  add_store(out, store);
  return out;
}

}  // namespace rocktable
