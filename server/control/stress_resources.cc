#include "server/control/stress_resources.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "base/duration.h"
#include "base/uri.h"
#include "odata/files/json_reader.h"
#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {
namespace {

// Runs `read`, which reads the body. Returns 400 with the place if it is invalid.
template <class Read>
Response answer_after(const Read& read) {
  try {
    return read();
  } catch (const FileError& error) {
    return control_error(400, error.what());
  } catch (const std::invalid_argument& error) {
    return control_error(400, error.what());
  }
}

// --- Clock --------------------------------------------------------------------------------------------------

// Certificates, tokens and dates of four digits must stay representable.
constexpr DateTime kFirstTime = kMinDateTime;
constexpr DateTime kLastTime{kMaxDateTime.ticks - 366 * 86400 * kTicksPerSecond};

nlohmann::json to_json(const TimeSource& time) {
  const auto setting = time.setting();
  nlohmann::json out = {{"now", to_string_7(time.now())}, {"frozen", setting.frozen.has_value()}};
  if (!setting.frozen) out["offset"] = duration_text(setting.offset);
  if (setting.lenient) out["lenient"] = true;
  return out;
}

std::int64_t duration_of(const JsonReader& value) {
  const auto ticks = parse_duration(value.text());
  if (!ticks) value.refuse("must be a duration such as 90s, -15m or +2h");
  return *ticks;
}

TimeSource::Setting turned(const TimeSource& time, const JsonReader& object) {
  object.allow_only({"offset", "frozen", "step", "lenient"});
  const std::size_t turns = object.members().size() - (object.has("lenient") ? 1 : 0);
  if (turns > 1) object.refuse("must have one of offset, frozen and step");
  TimeSource::Setting out;
  if (object.has("offset")) out.offset = duration_of(object.member("offset"));
  if (object.has("step")) {
    out = time.setting();
    const auto step = duration_of(object.member("step"));
    if (out.frozen) {
      out.frozen->ticks += step;
    } else {
      out.offset += step;
    }
  }
  if (object.has("frozen")) {
    const JsonReader frozen = object.member("frozen");
    if (frozen.kind() == JsonKind::Boolean) {
      if (frozen.flag()) out.frozen = time.now();
    } else {
      out.frozen = parse_date_time(frozen.text());
      if (!out.frozen) frozen.refuse("must be a time such as 2026-01-31T12:00:00Z, or true");
    }
  }
  out.lenient = object.flag("lenient");
  const DateTime then = out.frozen.value_or(DateTime{now().ticks + out.offset});
  if (then < kFirstTime || then > kLastTime) object.refuse("the time must be in the years 1601 to 9998");
  return out;
}

}  // namespace

Response handle_get_clock(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return control_json(200, to_json(state.time));
}

Response handle_put_clock(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return answer_after([&] {
    const JsonDocument document(arguments.body, "clock");
    state.time.set(turned(state.time, document.root()));
    return control_json(200, to_json(state.time));
  });
}

// --- Behaviour ----------------------------------------------------------------------------------------------

namespace {

nlohmann::json behaviour_json(const ControlState& state, const std::optional<std::string>& account) {
  return account ? state.behaviours.to_json(*account) : state.behaviours.to_json();
}

Behaviour behaviour_in(const JsonReader& root) {
  root.must_be(JsonKind::Object);
  if (!root.has("behaviour")) return read_behaviour(root);
  root.allow_only({"behaviour"});
  const JsonReader value = root.member("behaviour");
  if (value.kind() == JsonKind::Object) return read_behaviour(value);
  return value.with_place([&] { return parse_behaviour(value.text()); });
}

}  // namespace

Response handle_get_behaviour(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json(200, behaviour_json(state, account));
  });
}

Response handle_put_behaviour(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return answer_after([&] {
      const JsonDocument document(arguments.body, "behaviour");
      const Behaviour behaviour = behaviour_in(document.root());
      if (account) {
        state.behaviours.set(*account, behaviour);
      } else {
        state.behaviours.set(behaviour);
      }
      return control_json(200, behaviour_json(state, account));
    });
  });
}

Response handle_delete_behaviour(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    if (account) {
      state.behaviours.remove(*account);
    } else {
      state.behaviours.set(Behaviour());
      state.behaviours.remove(std::nullopt);
    }
    return control_done();
  });
}

// --- Faults -------------------------------------------------------------------------------------------------

namespace {

std::string fault_name(const ControlArguments& arguments) {
  return percent_decode(arguments.name, false).value_or(std::string(arguments.name));
}

// Says which there are, because a name is easily misspelled.
Response no_such_fault(const ControlState& state, const std::string& name) {
  constexpr std::size_t kMostNames = 20;
  const auto names = state.faults.names();
  std::string known;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i)
    known.append(i == 0 ? "" : ", ").append("\"" + names[i] + "\"");
  if (names.size() > kMostNames) known += " and " + std::to_string(names.size() - kMostNames) + " more";
  return control_error(404, "There is no fault rule \"" + name + "\"; " +
                                (names.empty() ? "there is none at all." : "there are: " + known + "."));
}

}  // namespace

Response handle_list_faults(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json(200, state.faults.to_json(state.time.now(), account));
  });
}

Response handle_get_fault(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  const std::string name = fault_name(arguments);
  const auto rule = state.faults.find(name, state.time.now());
  return rule ? control_json(200, *rule) : no_such_fault(state, name);
}

Response handle_add_faults(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return answer_after([&] {
    auto rules = parse_fault_rules(arguments.body, "faults");
    if (const auto taken = state.faults.add(rules, state.time.now()))
      return control_error(
          409, "There is a fault rule \"" + *taken + "\" already; DELETE faults/NAME removes it, PUT replaces it.");
    nlohmann::json added = nlohmann::json::array();
    for (const FaultRule& rule : rules) added.push_back(to_json(rule));
    return control_json(201, {{"faults", added}});
  });
}

Response handle_put_fault(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return answer_after([&] {
    const std::string name = fault_name(arguments);
    auto rules = parse_fault_rules(arguments.body, "faults");
    if (rules.size() != 1) throw std::invalid_argument("PUT faults/NAME takes one rule, not a list");
    FaultRule& rule = rules.front();
    if (!rule.name.empty() && rule.name != name)
      throw std::invalid_argument("the rule has the name \"" + rule.name + "\", but the URL has \"" + name + "\"");
    rule.name = name;
    check_fault_name(name);
    state.faults.put(rule, state.time.now());
    return control_json(200, to_json(rule));
  });
}

Response handle_delete_fault(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  const std::string name = fault_name(arguments);
  return state.faults.remove(name) ? control_done() : no_such_fault(state, name);
}

Response handle_clear_faults(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    const std::size_t removed = account ? state.faults.remove_of_account(*account) : state.faults.remove_all();
    return control_json(200, {{"removed", removed}});
  });
}

// --- Retries ------------------------------------------------------------------------------------------------

Response handle_get_retries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json(200, state.retries.to_json(account));
  });
}

Response handle_clear_retries(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    state.retries.clear(account);
    return control_done();
  });
}

}  // namespace rocktable
