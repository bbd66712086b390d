#include "server/events/request_metrics.h"

#include <doctest/doctest.h>

#include <string>
#include <thread>
#include <vector>

#include "storage/store_wrapper.h"
#include "tests/unit/support/opened_store.h"

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;

const StatisticsKey kRead{"acct", "people", "GetEntity", "point"};
const StatisticsKey kInsert{"acct", "people", "InsertEntity", ""};

RequestEvent event_of(const StatisticsKey* key, int status, std::chrono::microseconds duration) {
  RequestEvent out;
  out.key = key;
  out.status = status;
  out.duration = duration;
  return out;
}

StoreOptions in_memory() {
  StoreOptions out;
  out.in_memory = true;
  return out;
}

// A store that does not answer, with numbers of its own.
class Silent final : public StoreWrapper {
 public:
  using StoreWrapper::StoreWrapper;
  std::optional<std::string> unavailable() const override { return "no answer"; }
  std::vector<StoreMetric> metrics() const override {
    return {{"rocktable_store_connections", "state=\"idle\"", "Open.", false, 3},
            {"rocktable_store_connections", "state=\"in_use\"", "Open.", false, 4},
            {"rocktable_store_retries_total", "", "Again.", true, 5}};
  }
};

bool has_lines(const std::string& text, const std::string& lines) {
  return ("\n" + text).find("\n" + lines + "\n") != std::string::npos;
}

}  // namespace

TEST_CASE("metrics: requests by operation, plan and status, of all threads") {
  OpenedStore store(in_memory());
  RequestMetrics metrics;
  metrics.record(event_of(&kRead, 200, 10us));
  metrics.record(event_of(&kRead, 200, 10us));
  metrics.record(event_of(&kRead, 404, 10us));
  std::thread([&] { metrics.record(event_of(&kRead, 200, 10us)); }).join();
  metrics.record(event_of(&kInsert, 201, 10us));
  metrics.record(event_of(nullptr, 200, 10us));  // not of the table service
  const std::string text = metrics.to_text(store);
  CHECK(has_lines(text, R"(rocktable_requests_total{operation="GetEntity",plan="point",status="200"} 3
rocktable_requests_total{operation="GetEntity",plan="point",status="404"} 1
rocktable_requests_total{operation="InsertEntity",plan="",status="201"} 1)"));
}

TEST_CASE("metrics: a duration counts in its bucket and all longer ones") {
  OpenedStore store(in_memory());
  RequestMetrics metrics;
  for (const auto duration : {50us, 51us, 1'000us, 60'000'000us}) metrics.record(event_of(&kRead, 200, duration));
  const std::string text = metrics.to_text(store);
  const std::string bucket = R"(rocktable_request_duration_seconds_bucket{operation="GetEntity",le=")";
  CHECK(has_lines(text, bucket + "5e-05\"} 1"));
  CHECK(has_lines(text, bucket + "0.0001\"} 2"));
  CHECK(has_lines(text, bucket + "0.001\"} 3"));
  CHECK(has_lines(text, bucket + "5\"} 3"));
  CHECK(has_lines(text, bucket +
                            "+Inf\"} 4\nrocktable_request_duration_seconds_sum{operation=\"GetEntity\"} 60.001101\n"
                            "rocktable_request_duration_seconds_count{operation=\"GetEntity\"} 4"));
}

TEST_CASE("metrics: those of the store follow") {
  OpenedStore store(in_memory());
  CHECK(has_lines(RequestMetrics().to_text(store), "# TYPE rocktable_store_up gauge\nrocktable_store_up 1"));
  Silent silent(store);
  CHECK(has_lines(RequestMetrics().to_text(silent), R"(rocktable_store_up 0
# HELP rocktable_store_connections Open.
# TYPE rocktable_store_connections gauge
rocktable_store_connections{state="idle"} 3
rocktable_store_connections{state="in_use"} 4
# HELP rocktable_store_retries_total Again.
# TYPE rocktable_store_retries_total counter
rocktable_store_retries_total 5)"));
}

}  // namespace rocktable::TEST_FILE
