// Retries with exponential backoff: which errors are transient, and how long to wait.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "client/http_client.h"
#include "client/table_error.h"

namespace rocktable {

// Whether the same request may succeed later: the server is busy or failing, or a table of that name is still
// being deleted.
bool is_transient(const TableError& error);

// Whether the same request may get a response later. An unreachable host counts as transient only if it
// responded before: otherwise its name is probably wrong.
bool is_transient(const HttpError& error, bool reached_before);

struct RetryPolicy {
  int attempts = 12;                           // about two minutes in total with the pauses below
  std::chrono::milliseconds first_pause{200};  // doubles after each attempt
  std::chrono::milliseconds longest_pause{30'000};
  bool reached_before = false;

  // The pause after attempt number `attempt` (from 1): between half and all of the backoff, by `chance` (0 to
  // 1), so that several clients do not retry in step. At least `retry_after`, but at most longest_pause.
  std::chrono::milliseconds pause_after(int attempt, double chance,
                                        std::optional<std::chrono::seconds> retry_after) const;
};

// Waits for the given time before a retry, and may report `why`. Returns false to give up.
using Pause = std::function<bool(const std::string& why, std::chrono::milliseconds)>;

// Returns a random number from 0 to 1. Thread-safe.
double random_fraction();

// Calls `attempt(number)`, from 1, until it succeeds, fails permanently, or the attempts are used up, or
// `pause` returns false. Returns the last result or throws the last HttpError.
template <class Attempt>
auto with_retries(const RetryPolicy& policy, const Pause& pause, Attempt attempt) {
  for (int number = 1;; ++number) {
    const bool last = number >= policy.attempts;
    const auto wait = [&](const std::string& why, std::optional<std::chrono::seconds> retry_after) {
      return pause(why, policy.pause_after(number, random_fraction(), retry_after));
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
