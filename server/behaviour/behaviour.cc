#include "server/behaviour/behaviour.h"

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/date_time.h"
#include "base/text.h"
#include "odata/value.h"

namespace rocktable {
namespace {

// A number of a behaviour, and where it is stored.
struct Parameter {
  double min, max;
  bool is_whole;
};

struct BehaviourKind {
  std::string_view name;
  std::vector<Parameter> parameters;
  std::vector<double> defaults;  // of the parameters; those without a default must be given
  void (*set)(Behaviour& out, std::span<const double> numbers);
  std::vector<double> (*get)(const Behaviour& behaviour);  // empty: off
};

std::int64_t ticks_of(double seconds) { return std::llround(seconds * kTicksPerSecond); }

std::vector<double> seconds_of(std::int64_t ticks) {
  if (ticks == 0) return {};
  return {static_cast<double>(ticks) / kTicksPerSecond};
}

std::vector<double> unless_zero(std::int64_t number) {
  if (number == 0) return {};
  return {static_cast<double>(number)};
}

constexpr double kMaxDelaySeconds = 365 * 86400;
constexpr Parameter kSeconds{0, kMaxDelaySeconds, false};
constexpr Parameter kRate{0.001, 1e9, false};

const std::vector<BehaviourKind>& kinds() {
  static const std::vector<BehaviourKind> kKinds{
      {"throttle",
       {kRate, kRate},
       {ThrottleRates().per_partition, ThrottleRates().per_account},
       [](Behaviour& out, std::span<const double> numbers) { out.throttle = {numbers[0], numbers[1]}; },
       [](const Behaviour& b) {
         return b.throttle ? std::vector{b.throttle->per_partition, b.throttle->per_account} : std::vector<double>();
       }},
      {"retryAfter",
       {{0, 86400, true}},
       {},
       [](Behaviour& out, std::span<const double> numbers) { out.retry_after = std::llround(numbers[0]); },
       [](const Behaviour& b) { return unless_zero(b.retry_after); }},
      {"boundaries",
       {{0, 10'000, true}},
       {},
       [](Behaviour& out, std::span<const double> numbers) { out.boundaries = std::llround(numbers[0]); },
       [](const Behaviour& b) { return unless_zero(b.boundaries); }},
      {"pageDeadline",
       {{0, 5000, true}},
       {},
       [](Behaviour& out, std::span<const double> numbers) { out.page_deadline = std::llround(numbers[0]); },
       [](const Behaviour& b) { return unless_zero(b.page_deadline); }},
      {"deleteDelay",
       {kSeconds},
       {40},
       [](Behaviour& out, std::span<const double> numbers) { out.delete_delay = ticks_of(numbers[0]); },
       [](const Behaviour& b) { return seconds_of(b.delete_delay); }},
      {"policyDelay",
       {kSeconds},
       {30},
       [](Behaviour& out, std::span<const double> numbers) { out.policy_delay = ticks_of(numbers[0]); },
       [](const Behaviour& b) { return seconds_of(b.policy_delay); }},
      {"latency",
       {{0, kMaxDelayMilliseconds, false}, {0, 5, false}},
       {-1, 0},
       [](Behaviour& out, std::span<const double> numbers) { out.latency = {numbers[0], numbers[1]}; },
       [](const Behaviour& b) {
         if (b.latency.is_none()) return std::vector<double>();
         return b.latency.sigma > 0 ? std::vector{b.latency.median, b.latency.sigma} : std::vector{b.latency.median};
       }},
      {"seed",
       {{0, 1e15, true}},
       {},
       [](Behaviour& out, std::span<const double> numbers) { out.seed = std::llround(numbers[0]); },
       [](const Behaviour& b) { return unless_zero(b.seed); }},
  };
  return kKinds;
}

// Throws std::invalid_argument.
const BehaviourKind& kind_named(std::string_view name) {
  std::vector<std::string_view> known;
  for (const BehaviourKind& kind : kinds()) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  throw std::invalid_argument("there is no behaviour " + std::string(name) + "; there are " + joined(known));
}

// Throws std::invalid_argument.
void set(Behaviour& out, const BehaviourKind& kind, std::vector<double> numbers) {
  const std::string name(kind.name);
  if (numbers.size() > kind.parameters.size())
    throw std::invalid_argument(name + " has at most " + std::to_string(kind.parameters.size()) +
                                (kind.parameters.size() == 1 ? " number" : " numbers"));
  for (std::size_t i = numbers.size(); i < kind.parameters.size(); ++i)
    if (i >= kind.defaults.size() || kind.defaults[i] < 0)
      throw std::invalid_argument(name + " needs a number");
    else
      numbers.push_back(kind.defaults[i]);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& [min, max, is_whole] = kind.parameters[i];
    if (!(numbers[i] >= min && numbers[i] <= max) || (is_whole && numbers[i] != std::floor(numbers[i])))
      throw std::invalid_argument(name + " must be " + (is_whole ? "an integer" : "a number") + " from " +
                                  shortest(min) + " to " + shortest(max) + ", but is " + shortest(numbers[i]));
  }
  kind.set(out, numbers);
}

}  // namespace

Behaviour parse_behaviour(std::string_view list) {
  Behaviour out;
  if (list == "off") return out;
  const BehaviourKind* kind = nullptr;
  std::vector<double> numbers;
  const auto finish = [&] {
    if (kind != nullptr) set(out, *kind, std::exchange(numbers, {}));
  };
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    const bool is_further_number = kind != nullptr && parse_double(item);
    if (!is_further_number) {
      finish();
      const auto equals = std::min(item.find('='), item.size());
      kind = &kind_named(item.substr(0, equals));
      if (equals == item.size()) continue;
      item.remove_prefix(equals + 1);
    }
    const auto number = parse_double(item);
    if (!number)
      throw std::invalid_argument("`" + std::string(item) + "` is not a number of " + std::string(kind->name));
    numbers.push_back(*number);
  }
  finish();
  return out;
}

Behaviour read_behaviour(const JsonReader& object) {
  object.must_be(JsonKind::Object);
  Behaviour out;
  for (const JsonMember& member : object.members()) {
    const JsonReader value = object.member(member.name);
    value.with_place([&] {
      const BehaviourKind& kind = kind_named(member.name);
      if (value.kind() == JsonKind::Null) return;
      std::vector<double> numbers;
      if (value.kind() == JsonKind::Boolean) {
        if (!value.flag()) return;
      } else if (value.kind() == JsonKind::Array) {
        for (const JsonReader& item : value.items()) numbers.push_back(item.number(0, 1e15));
      } else {
        numbers.push_back(value.number(0, 1e15));
      }
      set(out, kind, std::move(numbers));
    });
  }
  return out;
}

nlohmann::json to_json(const Behaviour& behaviour) {
  nlohmann::json out = nlohmann::json::object();
  const auto number_of = [](double number) {
    return number == std::floor(number) ? nlohmann::json(std::llround(number)) : nlohmann::json(number);
  };
  for (const BehaviourKind& kind : kinds()) {
    const auto numbers = kind.get(behaviour);
    if (numbers.size() == 1) out[std::string(kind.name)] = number_of(numbers[0]);
    if (numbers.size() > 1)
      for (const double number : numbers) out[std::string(kind.name)].push_back(number_of(number));
  }
  return out;
}

}  // namespace rocktable
