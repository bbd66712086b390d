// Trying again, later and later: what is worth it, and for how long.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "client/http_client.h"
#include "client/table_error.h"

namespace rocktable {

// Whether the same request may succeed in a while: the service is busy or at fault, or a table of that name is still being
// deleted.
bool is_transient(const TableError& error);

// Whether the same request may get an answer in a while. A host that was never reached is more likely named wrongly
// than down, so who has had no answer yet does not count on it.
bool is_transient(const HttpError& error, bool reached_before);

struct RetryPolicy {
  int attempts = 12;                           // with the pauses below: two minutes in all
  std::chrono::milliseconds first_pause{200};  // doubles from one to the next
  std::chrono::milliseconds longest_pause{30'000};
  bool reached_before = false;

  // Between this attempt (the first is 1) and the next: between half the pause and all of it, by `chance` (0..1), so that
  // several clients do not come back as one; not before the service asks for it.
  std::chrono::milliseconds pause_after(int attempt, double chance,
                                        std::optional<std::chrono::seconds> retry_after) const;
};

// How to pass a pause: false where there is no more point in waiting. Told why, and for how long.
using Pause = std::function<bool(const std::string& why, std::chrono::milliseconds)>;

// From 0 to 1, thread-safe.
double random_chance();

// Calls `attempt(number)`, the first being 1, until its answer is one that stays, or attempts are used up, or `pause`
// says no. Returns the last answer, or throws the last HttpError.
template <class Attempt>
auto with_retries(const RetryPolicy& policy, const Pause& pause, Attempt attempt) {
  for (int number = 1;; ++number) {
    const bool last = number >= policy.attempts;
    const auto wait = [&](const std::string& why, std::optional<std::chrono::seconds> retry_after) {
      return pause(why, policy.pause_after(number, random_chance(), retry_after));
    };
    try {
      auto answer = attempt(number);
      if (answer || last || !is_transient(answer.error())) return answer;
      if (!wait(answer.error().sentence(), answer.error().retry_after)) return answer;
    } catch (const HttpError& error) {
      if (last || !is_transient(error, policy.reached_before || number > 1)) throw;
      if (!wait(error.what(), std::nullopt)) throw;
    }
  }
}

}  // namespace rocktable
