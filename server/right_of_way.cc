#include "server/right_of_way.h"

#include <algorithm>

namespace rocktable {
namespace {

using namespace std::chrono_literals;
using Clock = RightOfWay::Clock;

constexpr Clock::duration kClaimInterval = 1ms;
constexpr Clock::duration kClaimLasts = 5ms;  // who comes back within it is still about
constexpr Clock::duration kShortScan = 2ms;   // is a short request itself
constexpr Clock::duration kWork = 100us;      // less than what a reader notices
constexpr int kRest = 3;  // times as long as it worked: a quarter of a core is left to scans
constexpr Clock::duration kMaxRest = 100ms;  // after which it looks again whether anybody is about

Clock::time_point at(Clock::rep ticks) { return Clock::time_point(Clock::duration(ticks)); }

}  // namespace

void RightOfWay::claim(Clock::time_point now) {
  if (now - at(last_claim_.load(std::memory_order_relaxed)) >= kClaimInterval)
    last_claim_.store(now.time_since_epoch().count(), std::memory_order_relaxed);
}

RightOfWay::Scan::Scan(RightOfWay& right_of_way, Clock::time_point now)
    : right_of_way_(right_of_way), start_(now), working_since_(now) {
  ++right_of_way_.scans_;
}

RightOfWay::Scan::~Scan() { --right_of_way_.scans_; }

void RightOfWay::Scan::claim(Clock::time_point now) {
  if (right_of_way_.scans_ > 1) right_of_way_.claim(now);
}

Clock::duration RightOfWay::Scan::rest(Clock::time_point now) {
  const bool claimed = now - at(right_of_way_.last_claim_.load(std::memory_order_relaxed)) < kClaimLasts;
  if (!claimed || now - start_ < kShortScan) {
    working_since_ = now;  // nobody was waiting for what was done until now
    return {};
  }
  const Clock::duration worked = now - working_since_;
  if (worked < kWork) return {};
  const Clock::duration rest = std::min(kMaxRest, kRest * worked * right_of_way_.scans_.load());
  working_since_ = now + rest;
  return rest;
}

}  // namespace rocktable
