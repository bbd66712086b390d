#include "client/retry.h"

#include <algorithm>
#include <random>

namespace rocktable {

bool is_transient(const TableError& error) {
  constexpr int kTimeout = 408, kTooMany = 429, kFault = 500, kBadGateway = 502, kBusy = 503, kGatewayTimeout = 504;
  switch (error.status) {
    case kTimeout:
    case kTooMany:
    case kFault:
    case kBadGateway:
    case kBusy:
    case kGatewayTimeout:
      return true;
    default:
      return error.code == "TableBeingDeleted";
  }
}

bool is_transient(const HttpError& error, bool reached_before) {
  using Kind = HttpError::Kind;
  if (error.kind() == Kind::Unreachable) return reached_before;
  return error.kind() == Kind::TimedOut || error.kind() == Kind::Dropped;
}

std::chrono::milliseconds RetryPolicy::pause_after(int attempt, double chance,
                                                   std::optional<std::chrono::seconds> retry_after) const {
  auto pause = first_pause;
  for (int i = 1; i < attempt && pause < longest_pause; ++i) pause *= 2;
  pause = std::min(pause, longest_pause);
  const auto spread = std::chrono::milliseconds(static_cast<long>(static_cast<double>(pause.count()) / 2 * chance));
  pause = pause / 2 + spread;
  if (retry_after)
    pause =
        std::max<std::chrono::milliseconds>(pause, std::min<std::chrono::milliseconds>(*retry_after, longest_pause));
  return pause;
}

double random_fraction() {
  thread_local std::mt19937 generator(std::random_device{}());
  return std::uniform_real_distribution<double>(0, 1)(generator);
}

}  // namespace rocktable
