#include "server/control/store_resources.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {
namespace {

nlohmann::json to_json(const SnapshotInfo& info) {
  return {{"name", info.name}, {"taken", to_string(info.taken)}, {"tables", info.tables}, {"bytes", info.bytes}};
}

Response no_such_snapshot(std::string_view name) {
  return control_error(404, "There is no snapshot " + std::string(name) + ".");
}

// Forgets the behaviour, faults and retries of an account, or of all accounts by name.
void forget_settings(const ControlState& state, std::optional<std::string_view> account) {
  state.faults.remove_of_account(account);
  state.behaviours.remove(account);
  state.retries.clear(account);
}

}  // namespace

// --- Contents ----------------------------------------------------------------------------------------------

Response handle_contents(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& [account, tables] : state.store.table_counts())
    list.push_back({{"account", account}, {"tables", tables}});
  return control_json(200, {{"accounts", list}});
}

// --- Reset -------------------------------------------------------------------------------------------------

Response handle_reset(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"account", "table"})) return std::move(*refusal);
  const auto account = arguments.query.get("account"), table = arguments.query.get("table");
  if (table && !account) return control_error(400, "A table needs its account: ?account=NAME&table=NAME");
  if (account && !state.serves_account(*account)) return unknown_account(*account);
  if (table) {
    if (!state.store.reset_table({*account, *table}))
      return control_error(404, "The account " + std::string(*account) + " has no table " + std::string(*table) + ".");
  } else if (account) {
    state.store.reset_account(*account);
  } else {
    state.store.reset();
  }
  state.settings_changed();
  if (!table) forget_settings(state, account);
  return control_done();
}

// --- Snapshots ---------------------------------------------------------------------------------------------

Response handle_list_snapshots(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  nlohmann::json list = nlohmann::json::array();
  for (const auto& info : state.store.snapshots()) list.push_back(to_json(info));
  return control_json(200, {{"snapshots", list}});
}

Response handle_get_snapshot(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  for (const auto& info : state.store.snapshots())
    if (info.name == arguments.name) return control_json(200, to_json(info));
  return no_such_snapshot(arguments.name);
}

Response handle_take_snapshot(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"replace"})) return std::move(*refusal);
  const auto replace = arguments.query.get("replace").value_or("false");
  if (replace != "true" && replace != "false")
    return control_error(400, "The parameter replace must be true or false.");
  const auto taken = state.store.take_snapshot(arguments.name, replace == "true");
  if (!taken)
    return control_error(400,
                         "A snapshot's name must have 1 to 64 letters, digits, '-', '_' and '.', and must "
                         "start with a letter or digit.");
  if (!*taken)
    return control_error(
        409, "The snapshot " + std::string(arguments.name) + " already exists. Use ?replace=true to replace it.");
  return control_json(201, to_json(**taken));
}

Response handle_delete_snapshot(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.store.delete_snapshot(arguments.name)) return no_such_snapshot(arguments.name);
  return control_done();
}

Response handle_restore_snapshot(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.store.restore_snapshot(arguments.name)) return no_such_snapshot(arguments.name);
  state.settings_changed();
  state.behaviours.forget_past();
  return control_done();
}

// --- Accounts ----------------------------------------------------------------------------------------------

Response handle_clone_account(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {"from"})) return std::move(*refusal);
  const auto from = arguments.query.get("from");
  if (!from) return control_error(400, "The account to copy is missing: ?from=NAME");
  for (const auto account : {*from, arguments.name})
    if (!state.serves_account(account)) return unknown_account(account);
  const auto clone = state.store.clone_account(*from, arguments.name);
  if (clone) {
    state.settings_changed();
    return control_json(201, {{"account", arguments.name}, {"tables", clone->tables}, {"entities", clone->entities}});
  }
  if (clone.error().code == ErrorCode::TableAlreadyExists)
    return control_error(409, "The account " + std::string(arguments.name) + " already has tables.");
  if (clone.error().code == ErrorCode::ResourceNotFound)
    return control_error(404, "The account " + std::string(*from) + " has no tables.");
  throw ServiceException(clone.error());
}

Response handle_delete_account(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.serves_account(arguments.name)) return unknown_account(arguments.name);
  state.store.reset_account(arguments.name);
  state.settings_changed();
  forget_settings(state, arguments.name);
  return control_done();
}

}  // namespace rocktable
