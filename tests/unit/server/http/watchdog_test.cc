// When a connection has waited for its client for too long, by what it is doing and what else is going on.
#include "server/http/watchdog.h"

#include <doctest/doctest.h>

namespace rocktable {
namespace {

using namespace std::chrono_literals;
using State = ConnectionState;
using Verdict = Watchdog::Verdict;
using ConnectionUse = Watchdog::ConnectionUse;

const Timeouts kTimeouts{.keep_alive = 60s, .head = 30s, .body = 40s, .answer = 50s};

Verdict verdict_after(State state, Watchdog::Clock::duration waited, const ConnectionUse& use = {}) {
  const Watchdog::Clock::time_point start{1h};
  Watchdog watchdog(kTimeouts);
  watchdog.enter(state, start);
  return watchdog.check(start + waited, use);
}

TEST_CASE("a connection is closed once its state has lasted for longer than its timeout") {
  const struct {
    State state;
    Watchdog::Clock::duration timeout;
  } cases[] = {{State::Handshake, 10s}, {State::Head, 30s},    {State::Body, 40s},
               {State::Waiting, 40s},   {State::Writing, 50s}, {State::Closing, 10s}};
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.state));
    CHECK(verdict_after(c.state, c.timeout) == Verdict::Wait);
    CHECK(verdict_after(c.state, c.timeout + 1ms) == Verdict::Close);
  }
}

TEST_CASE("a call at work is not closed, however long it takes") {
  CHECK(verdict_after(State::Working, 24h) == Verdict::Wait);
  CHECK(verdict_after(State::Working, 24h, {.finishing = true, .request_is_short = true}) == Verdict::Wait);
}

TEST_CASE("an idle connection releases its buffers after two seconds, and ends in order after its timeout") {
  CHECK(verdict_after(State::Idle, 3s) == Verdict::Wait);
  CHECK(verdict_after(State::Idle, 2s, {.holds_buffers = true}) == Verdict::Wait);
  CHECK(verdict_after(State::Idle, 3s, {.holds_buffers = true}) == Verdict::ReleaseBuffers);
  CHECK(verdict_after(State::Idle, 60s) == Verdict::Wait);
  CHECK(verdict_after(State::Idle, 61s) == Verdict::Finish);
  CHECK(verdict_after(State::Idle, 61s, {.holds_buffers = true}) == Verdict::Finish);
}

TEST_CASE("while others wait for a place, an idle connection ends after two seconds") {
  CHECK(verdict_after(State::Idle, 2s, {.others_wait = true}) == Verdict::Wait);
  CHECK(verdict_after(State::Idle, 3s, {.others_wait = true}) == Verdict::Finish);
  CHECK(verdict_after(State::Head, 3s, {.others_wait = true}) == Verdict::Wait);
}

TEST_CASE("a connection that waits for a place waits as long as nobody else wants to come in") {
  CHECK(verdict_after(State::Queued, 24h) == Verdict::Wait);
  CHECK(verdict_after(State::Queued, 0s, {.finishing = true}) == Verdict::Close);
  CHECK(verdict_after(State::Idle, 0s, {.must_leave = true}) == Verdict::Close);
  for (const State state : {State::Handshake, State::Head, State::Body, State::Waiting})
    CHECK(verdict_after(state, 0s, {.must_leave = true}) == Verdict::Close);
  CHECK(verdict_after(State::Working, 1h, {.must_leave = true}) == Verdict::Wait);
  for (const State state : {State::Writing, State::Closing}) {
    CHECK(verdict_after(state, 1s, {.must_leave = true}) == Verdict::Wait);
    CHECK(verdict_after(state, 2s, {.must_leave = true}) == Verdict::Close);
  }
}

TEST_CASE("a handshake that stalls makes way while the memory for handshakes is short") {
  CHECK(verdict_after(State::Handshake, 1s, {.request_is_short = true}) == Verdict::Wait);
  CHECK(verdict_after(State::Handshake, 2s, {.request_is_short = true}) == Verdict::Close);
}

TEST_CASE("a connection that ends waits for no further request") {
  for (const State state : {State::Idle, State::Head, State::Closing}) {
    CAPTURE(static_cast<int>(state));
    CHECK(verdict_after(state, 0s, {.finishing = true}) == Verdict::Close);
  }
  for (const State state : {State::Handshake, State::Body, State::Waiting, State::Writing}) {
    CAPTURE(static_cast<int>(state));
    CHECK(verdict_after(state, 0s, {.finishing = true}) == Verdict::Wait);
  }
}

TEST_CASE("while memory is short, whoever holds some must make progress each second, and be done in ten") {
  const struct {
    State state;
    ConnectionUse use;
  } cases[] = {{State::Head, {.request_is_short = true}},
               {State::Body, {.request_is_short = true}},
               {State::Writing, {.request_is_short = true}},
               {State::Writing, {.response_is_short = true}}};
  const Watchdog::Clock::time_point start{1h};
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.state));
    CHECK(verdict_after(c.state, 1s, c.use) == Verdict::Wait);
    CHECK(verdict_after(c.state, 1s + 1ms, c.use) == Verdict::Close);

    Watchdog watchdog(kTimeouts);
    watchdog.enter(c.state, start);
    watchdog.note_progress(start + 10s);
    CHECK(watchdog.check(start + 10s, c.use) == Verdict::Wait);
    CHECK(watchdog.check(start + 10s + 1ms, c.use) == Verdict::Close);
  }
  CHECK(verdict_after(State::Head, 5s, {.response_is_short = true}) == Verdict::Wait);
}

}  // namespace
}  // namespace rocktable
