#include "server/behaviour/behaviour.h"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/date_time.h"
#include "server/behaviour/behaviours.h"

namespace rocktable::TEST_FILE {
namespace {

std::string refusal_of(const char* list) {
  try {
    parse_behaviour(list);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

Behaviour read(const std::string& text) {
  const JsonDocument document(text, "behaviour");
  return read_behaviour(document.root());
}

TEST_CASE("a list names behaviours and their numbers") {
  const Behaviour b = parse_behaviour("throttle=500,boundaries=4,latency=20,0.8,deleteDelay,seed=7");
  CHECK(b.throttle == ThrottleRates{500, 20'000});
  CHECK(b.boundaries == 4);
  CHECK(b.latency == Delay{20, 0.8});
  CHECK(b.delete_delay == 40 * kTicksPerSecond);
  CHECK(b.seed == 7);
}

TEST_CASE("a behaviour without numbers has those of the service") {
  CHECK(parse_behaviour("throttle").throttle == ThrottleRates{2'000, 20'000});
  CHECK(parse_behaviour("policyDelay").policy_delay == 30 * kTicksPerSecond);
}

TEST_CASE("everything is off without a list, and by `off` and zeros") {
  for (const char* list : {"", "off", "boundaries=0", "latency=0", "deleteDelay=0", "seed=5"})
    CHECK(parse_behaviour(list).is_off());
}

TEST_CASE("a wrong list is refused with what is allowed") {
  CHECK(refusal_of("throtle=5") ==
        "there is no behaviour throtle; there are throttle, retryAfter, boundaries, pageDeadline, deleteDelay, "
        "policyDelay, latency, seed");
  CHECK(refusal_of("boundaries") == "boundaries needs a number");
  CHECK(refusal_of("boundaries=1.5") == "boundaries must be an integer from 0 to 10000, but is 1.5");
  CHECK(refusal_of("throttle=0") == "throttle must be a number from 0.001 to 1e+09, but is 0");
  CHECK(refusal_of("boundaries=2,3") == "boundaries has at most 1 number");
  CHECK(refusal_of("latency=x") == "`x` is not a number of latency");
  CHECK(refusal_of("5") ==
        "there is no behaviour 5; there are throttle, retryAfter, boundaries, pageDeadline, "
        "deleteDelay, policyDelay, latency, seed");
}

TEST_CASE("JSON has the same names, and is written as it is read") {
  const std::string text =
      R"({"boundaries":4,"deleteDelay":1.5,"latency":[20,0.8],"pageDeadline":50,"throttle":[500,20000]})";
  CHECK(to_json(read(text)).dump() == text);
  CHECK(read(R"({"throttle": true, "latency": 5, "boundaries": null, "deleteDelay": false})") ==
        parse_behaviour("throttle,latency=5"));
}

TEST_CASE("an account has its own behaviour or that of all") {
  Behaviours behaviours;
  CHECK_FALSE(behaviours.is_active());
  CHECK(behaviours.of("one") == nullptr);
  behaviours.set("one", parse_behaviour("boundaries=1"));
  CHECK(behaviours.is_active());
  CHECK(behaviours.of("one")->boundaries == 1);
  CHECK(behaviours.of("two") == nullptr);
  behaviours.set(parse_behaviour("boundaries=2"));
  CHECK(behaviours.of("two")->boundaries == 2);
  CHECK(behaviours.of("one")->boundaries == 1);
  behaviours.set("one", {});
  CHECK(behaviours.of("one") == nullptr);
  behaviours.remove("one");
  CHECK(behaviours.of("one")->boundaries == 2);
  behaviours.set({});
  CHECK_FALSE(behaviours.is_active());
}

TEST_CASE("the same seed draws the same latencies") {
  const Behaviour b = parse_behaviour("latency=20,0.8,seed=3");
  Behaviours one(b), other(b);
  std::chrono::microseconds total{};
  for (int i = 0; i < 1000; ++i) {
    const auto drawn = one.draw_latency(b);
    CHECK(drawn == other.draw_latency(b));
    total += drawn;
  }
  // The mean of a lognormal distribution is median * exp(sigma^2 / 2): 27.5 ms.
  CHECK(total.count() / 1000 > 24'000);
  CHECK(total.count() / 1000 < 32'000);
}

}  // namespace
}  // namespace rocktable::TEST_FILE
