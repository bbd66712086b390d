#include "server/http/watchdog.h"

#include <algorithm>

namespace rocktable {
namespace {

constexpr std::chrono::seconds kHandshakeTimeout{10};
constexpr std::chrono::seconds kCloseTimeout{10};
constexpr std::chrono::seconds kPressedTimeout{10};  // for a large request or answer while memory is short
constexpr std::chrono::seconds kStalledTimeout{1};   // without a byte of it meanwhile
constexpr std::chrono::seconds kIdlesAfter{2};

}  // namespace

Watchdog::Verdict Watchdog::check(Clock::time_point now, const ConnectionUse& use) const {
  if (state_ == ConnectionState::Idle && !use.finishing) {
    const Clock::duration longest = use.others_wait ? kIdlesAfter : timeouts_.keep_alive;
    if (use.must_leave) return Verdict::Close;
    if (now - since_ > std::min<Clock::duration>(longest, timeouts_.keep_alive)) return Verdict::Finish;
    const bool idles = now - since_ > kIdlesAfter && use.holds_buffers;
    return idles ? Verdict::ReleaseBuffers : Verdict::Wait;
  }
  return is_late(now, use) ? Verdict::Close : Verdict::Wait;
}

bool Watchdog::is_late(Clock::time_point now, const ConnectionUse& use) const {
  const auto waited = now - since_;
  const bool presses = waited > kPressedTimeout || now - progress_ > kStalledTimeout;
  const bool request_presses = use.request_is_short && presses;
  switch (state_) {
    case ConnectionState::Handshake:
      return waited > kHandshakeTimeout || use.must_leave || request_presses;
    case ConnectionState::Idle:
      return use.finishing;
    case ConnectionState::Head:
      return use.finishing || use.must_leave || waited > timeouts_.head || request_presses;
    case ConnectionState::Body:
      return waited > timeouts_.body || use.must_leave || request_presses;
    case ConnectionState::Waiting:
      return waited > timeouts_.body || use.must_leave;
    case ConnectionState::Queued:  // it is asked to leave if too many wait
      return use.finishing;
    case ConnectionState::Working:
      return false;
    case ConnectionState::Writing:
      return waited > timeouts_.answer || request_presses ||
             ((use.response_is_short || use.must_leave) && presses);
    case ConnectionState::Closing:
      return use.finishing || waited > kCloseTimeout || (use.must_leave && presses);
  }
  return false;
}

}  // namespace rocktable
