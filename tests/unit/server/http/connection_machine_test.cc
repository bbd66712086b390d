// How long a connection may do what it does, and what must stop so that it ends.
#include "server/http/connection_machine.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

using namespace std::chrono_literals;
using State = ConnectionState;
using Stop = ConnectionMachine::Stop;
using Use = ConnectionMachine::Use;
using Verdict = ConnectionMachine::Verdict;

const Timeouts kTimeouts{.keep_alive = 60s, .head = 30s, .body = 40s, .answer = 50s};

constexpr ConnectionMachine::Clock::time_point kStart{1h};

Verdict verdict_after(State state, ConnectionMachine::Clock::duration waited, const Use& use = {}) {
  ConnectionMachine machine(kTimeouts);
  machine.enter(state, kStart);
  return machine.check(kStart + waited, use);
}

Verdict verdict_while_finishing(State state, ConnectionMachine::Clock::duration waited, const Use& use = {}) {
  ConnectionMachine machine(kTimeouts);
  machine.enter(state, kStart);
  machine.finish();
  return machine.check(kStart + waited, use);
}

TEST_CASE("a connection is closed once its state has lasted for longer than its timeout") {
  const struct {
    State state;
    ConnectionMachine::Clock::duration timeout;
  } cases[] = {{State::Handshake, 10s}, {State::Head, 30s},      {State::Body, 40s},   {State::Waiting, 40s},
               {State::Writing, 50s},   {State::Streaming, 50s}, {State::Closing, 10s}};
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.state));
    CHECK(verdict_after(c.state, c.timeout) == Verdict::Wait);
    CHECK(verdict_after(c.state, c.timeout + 1ms) == Verdict::Close);
  }
}

TEST_CASE("a call at work is not closed, however long it takes") {
  CHECK(verdict_after(State::Working, 24h) == Verdict::Wait);
  CHECK(verdict_while_finishing(State::Working, 24h, {.request_is_short = true}) == Verdict::Wait);
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
  CHECK(verdict_while_finishing(State::Queued, 0s) == Verdict::Close);
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
    CHECK(verdict_while_finishing(state, 0s) == Verdict::Close);
  }
  for (const State state : {State::Handshake, State::Body, State::Waiting, State::Writing}) {
    CAPTURE(static_cast<int>(state));
    CHECK(verdict_while_finishing(state, 0s) == Verdict::Wait);
  }
}

TEST_CASE("while memory is short, whoever holds some must make progress each second, and be done in ten") {
  const struct {
    State state;
    Use use;
  } cases[] = {{State::Head, {.request_is_short = true}},
               {State::Body, {.request_is_short = true}},
               {State::Writing, {.request_is_short = true}},
               {State::Writing, {.response_is_short = true}}};
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.state));
    CHECK(verdict_after(c.state, 1s, c.use) == Verdict::Wait);
    CHECK(verdict_after(c.state, 1s + 1ms, c.use) == Verdict::Close);

    ConnectionMachine machine(kTimeouts);
    machine.enter(c.state, kStart);
    machine.note_progress(kStart + 10s);
    CHECK(machine.check(kStart + 10s, c.use) == Verdict::Wait);
    CHECK(machine.check(kStart + 10s + 1ms, c.use) == Verdict::Close);
  }
  CHECK(verdict_after(State::Head, 5s, {.response_is_short = true}) == Verdict::Wait);
}

TEST_CASE("a client whose bytes wait in a busy server does not stall, but still must be done in ten seconds") {
  for (const State state : {State::Handshake, State::Head, State::Body}) {
    CAPTURE(static_cast<int>(state));
    const Use use{.request_is_short = true, .bytes_wait = true};
    CHECK(verdict_after(state, 4s, use) == Verdict::Wait);
    CHECK(verdict_after(state, 11s, use) == Verdict::Close);
  }
}

TEST_CASE("what stops so that a connection ends, by what it is doing") {
  const struct {
    State state;
    Stop stop;
  } cases[] = {{State::Handshake, Stop::Everything},
               {State::Idle, Stop::WaitForClient},
               {State::Releasing, Stop::WaitForClient},
               {State::Head, Stop::WaitForClient},
               {State::Body, Stop::Nothing},
               {State::Waiting, Stop::WaitForMemory},
               {State::Queued, Stop::Nothing},
               {State::Working, Stop::Nothing},
               {State::Writing, Stop::Nothing},
               {State::Streaming, Stop::WaitForClient},
               {State::Closing, Stop::WaitForClient}};
  for (const auto& c : cases) {
    CAPTURE(static_cast<int>(c.state));
    ConnectionMachine machine(kTimeouts);
    machine.enter(c.state, kStart);
    CHECK_FALSE(machine.must_end());
    CHECK(machine.finish() == c.stop);
    CHECK(machine.is_finishing());
    CHECK(machine.must_end());
    CHECK_FALSE(machine.has_hung_up());
  }
}

TEST_CASE("a connection that releases its buffers is idle for as long as before") {
  ConnectionMachine machine(kTimeouts);
  machine.enter(State::Idle, kStart);
  CHECK_FALSE(machine.end_release());
  machine.begin_release();
  CHECK(machine.is_between_requests());
  CHECK(machine.check(kStart + 3s, {.holds_buffers = true}) == Verdict::Wait);
  CHECK(machine.end_release());
  CHECK(machine.state() == State::Idle);
  CHECK(machine.since() == kStart);
  CHECK(machine.check(kStart + 61s, {}) == Verdict::Finish);
}

TEST_CASE("a client that hung up does not come back, whatever the connection does") {
  ConnectionMachine machine(kTimeouts);
  machine.hang_up();
  machine.enter(State::Idle, kStart);
  CHECK(machine.has_hung_up());
  CHECK(machine.must_end());
  CHECK_FALSE(machine.is_finishing());
}

}  // namespace
}  // namespace rocktable::TEST_FILE
