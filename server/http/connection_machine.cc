#include "server/http/connection_machine.h"

#include <algorithm>
#include <utility>

namespace rocktable {
namespace {

constexpr std::chrono::seconds kHandshakeTimeout{10};
constexpr std::chrono::seconds kCloseTimeout{10};
constexpr std::chrono::seconds kPressedTimeout{10};  // for a large request or answer while memory is short
constexpr std::chrono::seconds kStalledTimeout{1};   // without a byte of it meanwhile
constexpr std::chrono::seconds kIdlesAfter{2};

}  // namespace

bool ConnectionMachine::end_release() {
  if (state_ != State::Releasing) return false;
  state_ = State::Idle;
  return true;
}

ConnectionMachine::Stop ConnectionMachine::finish() {
  is_finishing_ = true;
  switch (state_) {
    case State::Handshake:
      return Stop::Everything;
    case State::Idle:
    case State::Releasing:
    case State::Head:
    case State::Streaming:
    case State::Closing:
      return Stop::WaitForClient;
    case State::Waiting:
      return Stop::WaitForMemory;
    case State::Body:
    case State::Queued:
    case State::Working:
    case State::Writing:
      return Stop::Nothing;
  }
  return Stop::Nothing;
}

ConnectionMachine::Verdict ConnectionMachine::check(Clock::time_point now, const Use& use) const {
  const bool is_idle = state_ == State::Idle || state_ == State::Releasing;
  if (is_idle && !is_finishing_) {
    const Clock::duration longest = use.others_wait ? kIdlesAfter : timeouts_.keep_alive;
    if (use.must_leave) return Verdict::Close;
    if (now - since_ > std::min<Clock::duration>(longest, timeouts_.keep_alive)) return Verdict::Finish;
    const bool idles = now - since_ > kIdlesAfter && use.holds_buffers && state_ == State::Idle;
    return idles ? Verdict::ReleaseBuffers : Verdict::Wait;
  }
  return is_late(now, use) ? Verdict::Close : Verdict::Wait;
}

bool ConnectionMachine::is_late(Clock::time_point now, const Use& use) const {
  const auto waited = now - since_;
  const bool stalls = now - progress_ > kStalledTimeout;
  const bool presses = waited > kPressedTimeout || stalls;
  const bool request_presses = use.request_is_short && (waited > kPressedTimeout || (stalls && !use.bytes_wait));
  switch (state_) {
    case State::Handshake:
      return waited > kHandshakeTimeout || use.must_leave || request_presses;
    case State::Idle:
    case State::Releasing:
      return is_finishing_;
    case State::Head:
      return is_finishing_ || use.must_leave || waited > timeouts_.head || request_presses;
    case State::Body:
      return waited > timeouts_.body || use.must_leave || request_presses;
    case State::Waiting:
      return waited > timeouts_.body || use.must_leave;
    case State::Queued:  // it is asked to leave if too many wait
      return is_finishing_;
    case State::Working:
      return false;
    case State::Writing:
    case State::Streaming:
      return waited > timeouts_.answer || request_presses || ((use.response_is_short || use.must_leave) && presses);
    case State::Closing:
      return is_finishing_ || waited > kCloseTimeout || (use.must_leave && presses);
  }
  return false;
}

}  // namespace rocktable
