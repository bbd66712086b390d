#include "client/retry.h"

#include <doctest/doctest.h>

namespace rocktable::TEST_FILE {
namespace {

using std::chrono::milliseconds;
using Kind = HttpError::Kind;

// Records pauses without waiting.
struct NotedPauses {
  std::vector<milliseconds> pauses;
  int given_up_at = 1000;

  Pause pause() {
    return [this](const std::string&, milliseconds time) {
      pauses.push_back(time);
      return static_cast<int>(pauses.size()) < given_up_at;
    };
  }
};

TableError busy() { return {503, "ServerBusy", ""}; }

}  // namespace

TEST_CASE("only transient errors are retried") {
  struct {
    TableError error;
    bool transient;
  } cases[] = {
      {busy(), true},
      {{500, "InternalError", ""}, true},
      {{500, "OperationTimedOut", ""}, true},
      {{504, "", ""}, true},
      {{429, "", ""}, true},
      {{409, "TableBeingDeleted", ""}, true},
      {{409, "EntityAlreadyExists", ""}, false},
      {{409, "TableAlreadyExists", ""}, false},
      {{400, "InvalidInput", ""}, false},
      {{403, "AuthenticationFailed", ""}, false},
      {{404, "TableNotFound", ""}, false},
      {{501, "NotImplemented", ""}, false},
      {{0, "", "cannot be read"}, false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.error.code);
    CHECK(is_transient(c.error) == c.transient);
  }
  for (const bool reached : {false, true}) {
    CHECK(is_transient(HttpError(Kind::Unreachable, ""), reached) == reached);
    CHECK(is_transient(HttpError(Kind::TimedOut, ""), reached));
    CHECK(is_transient(HttpError(Kind::Dropped, ""), reached));
    CHECK_FALSE(is_transient(HttpError(Kind::Untrusted, ""), reached));
    CHECK_FALSE(is_transient(HttpError(Kind::Malformed, ""), reached));
  }
}

TEST_CASE("pauses double up to the longest, and vary randomly") {
  const RetryPolicy policy{12, milliseconds(200), milliseconds(30'000), false};
  for (const auto& [attempt, longest] :
       {std::pair(1, 200), {2, 400}, {3, 800}, {8, 25'600}, {9, 30'000}, {900, 30'000}}) {
    CAPTURE(attempt);
    CHECK(policy.pause_after(attempt, 0, {}) == milliseconds(longest / 2));
    CHECK(policy.pause_after(attempt, 1, {}) == milliseconds(longest));
  }
}

TEST_CASE("a pause is as long as the service requests, up to the longest") {
  const RetryPolicy policy;
  CHECK(policy.pause_after(1, 0, std::chrono::seconds(7)) == milliseconds(7000));
  CHECK(policy.pause_after(1, 0, std::chrono::seconds(86'400)) == policy.longest_pause);
  CHECK(policy.pause_after(9, 1, std::chrono::seconds(1)) == milliseconds(30'000));
}

TEST_CASE("attempts continue until one succeeds or all are used up") {
  NotedPauses noted;
  const auto succeeds_at = [](int when) {
    return [when](int number) {
      return number < when ? TableResult<std::string>(busy()) : TableResult<std::string>(std::to_string(number));
    };
  };
  CHECK(with_retries(RetryPolicy{}, noted.pause(), succeeds_at(5)).value() == "5");
  CHECK(noted.pauses.size() == 4);

  noted = {};
  CHECK(with_retries(RetryPolicy{}, noted.pause(), succeeds_at(99)).error().code == "ServerBusy");
  CHECK(noted.pauses.size() == 11);

  noted = {{}, 3};  // `pause` returns false
  CHECK(with_retries(RetryPolicy{}, noted.pause(), succeeds_at(99)).has_error());
  CHECK(noted.pauses.size() == 3);

  noted = {};
  const auto refused = [](int) { return TableResult<std::string>(TableError{404, "TableNotFound", ""}); };
  CHECK(with_retries(RetryPolicy{}, noted.pause(), refused).has_error());
  CHECK(noted.pauses.empty());
}

TEST_CASE("an unreachable host is retried only if it responded before") {
  const auto drops_at_first = [](int number) -> TableResult<std::string> {
    if (number < 3) throw HttpError(Kind::Dropped, "");
    if (number < 5) throw HttpError(Kind::Unreachable, "");
    return std::to_string(number);
  };
  NotedPauses noted;
  CHECK(with_retries(RetryPolicy{}, noted.pause(), drops_at_first).value() == "5");
  const auto is_not_there = [](int) -> TableResult<std::string> { throw HttpError(Kind::Unreachable, ""); };
  noted = {};
  CHECK_THROWS_AS(with_retries(RetryPolicy{}, noted.pause(), is_not_there), HttpError);
  CHECK(noted.pauses.empty());
  RetryPolicy patient;
  patient.reached_before = true;
  CHECK_THROWS_AS(with_retries(patient, noted.pause(), is_not_there), HttpError);
  CHECK(noted.pauses.size() == 11);
}

}  // namespace rocktable::TEST_FILE
