// How those who watch see a flood.
#include "server/monitor/request_window.h"

#include <doctest/doctest.h>

#include "tests/unit/server/monitor/sent_request.h"

namespace rocktable::TEST_FILE {
namespace {

using Clock = RequestWindow::Clock;

constexpr std::size_t kAll = 1'000'000;

void add(RequestRing& ring, const SentRequest& sent = {}) {
  with_event(sent, [&](const RequestEvent& event) { ring.add(event, true); });
}

struct Taken {
  std::size_t requests = 0;
  std::uint64_t missing = 0;
};

Taken take(RequestWindow& window, std::uint64_t& next, Clock::time_point now, const WantedRequests& wanted = {}) {
  Taken out;
  for (const auto& part : window.take(next, kAll, wanted, now)) {
    out.requests += part.request ? 1 : 0;
    out.missing += part.missing;
  }
  return out;
}

TEST_CASE("a window begins with the last requests") {
  RequestRing ring(16 << 20);
  for (std::size_t i = 0; i < RequestWindow::kMaxRequests + 10; ++i) add(ring);
  RequestWindow window(ring);
  std::uint64_t next = 1;
  const auto taken = take(window, next, Clock::now());
  CHECK(taken.requests == RequestWindow::kMaxRequests);
  CHECK(taken.missing == 10);
  CHECK(next == ring.next());
}

TEST_CASE("of a flood so many are taken as there is room for, and the others are told as missing") {
  RequestRing ring(16 << 20);
  RequestWindow window(ring);
  std::uint64_t next = ring.next();
  auto now = Clock::now();
  for (std::size_t i = 0; i < RequestWindow::kMaxRequests + 500; ++i) add(ring);
  now += std::chrono::seconds(1);
  auto taken = take(window, next, now);
  CHECK(taken.requests == RequestWindow::kMaxRequests);
  CHECK(taken.missing == 500);
  for (std::size_t i = 0; i < 500; ++i) add(ring);
  now += std::chrono::milliseconds(100);
  taken = take(window, next, now);
  CHECK(taken.requests == 100);  // of 1,000 a second
  CHECK(taken.missing == 400);
}

TEST_CASE("requests of other accounts are not told, but their gaps are") {
  RequestRing ring(16 << 20);
  RequestWindow window(ring);
  std::uint64_t next = ring.next();
  add(ring, {.account = "two"});
  add(ring);
  const auto taken = take(window, next, Clock::now() + std::chrono::seconds(1), {.account = "two"});
  CHECK(taken.requests == 1);
  CHECK(taken.missing == 0);
  CHECK(next == 3);
}

TEST_CASE("a window is bounded in bytes") {
  RequestRing ring(64 << 20);
  for (std::size_t i = 0; i < RequestWindow::kMaxRequests; ++i)
    add(ring, {.body = std::string(RecordLimits::kRequestBody, 'x')});
  RequestWindow window(ring);
  std::uint64_t next = 1;
  std::size_t bytes = 0;
  for (const auto& part : window.take(next, kAll, {}, Clock::now())) bytes += part.request->bytes();
  CHECK(bytes <= RequestWindow::kMaxBytes);
  CHECK(bytes > RequestWindow::kMaxBytes / 2);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
