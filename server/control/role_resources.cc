#include "server/control/role_resources.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "odata/files/file_error.h"
#include "server/control/control_checks.h"
#include "server/control/control_response.h"

namespace rocktable {
namespace {

Response roles_response(const ControlState& state) {
  const auto roles = state.tokens.roles->document();
  nlohmann::json out = roles ? to_json(*roles) : nlohmann::json::object();
  out["enforced"] = roles != nullptr;
  if (roles && !roles->doubts.empty()) out["doubts"] = roles->doubts;
  return control_json(200, out);
}

}  // namespace

Response handle_get_roles(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return roles_response(state);
}

Response handle_put_roles(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.tokens.accepted)
    return control_error(409, "Roles are those of bearer tokens, which are not accepted: start with --oauth basic.");
  try {
    state.tokens.roles->replace(parse_roles(arguments.body, "roles", {}, state.tokens.known_identities));
  } catch (const FileError& error) {
    return control_error(400, error.what());
  }
  return roles_response(state);
}

Response handle_delete_roles(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  state.tokens.roles->remove();
  return control_done();
}

Response handle_get_identities(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  return control_json(200, to_json(state.identities));
}

Response handle_get_permissions(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    return control_json(200, state.permissions.to_json(account.value_or("")));
  });
}

Response handle_forget_permissions(const ControlState& state, const ControlArguments& arguments) {
  return for_account(state, arguments, [&](const std::optional<std::string>& account) {
    state.permissions.clear(account.value_or(""));
    return control_done();
  });
}

Response handle_revoke_user_delegation_keys(const ControlState& state, const ControlArguments& arguments) {
  if (auto refusal = refuse_parameters(arguments.query, {})) return std::move(*refusal);
  if (!state.serves_account(arguments.name)) return unknown_account(arguments.name);
  if (state.tokens.delegation == nullptr)
    return control_error(409, "There are no user delegation keys: start with --oauth basic.");
  state.tokens.delegation->revoke(arguments.name, state.time.now());
  return control_json(200,
                      {{"account", arguments.name}, {"revoked", state.tokens.delegation->revoked_at(arguments.name)}});
}

}  // namespace rocktable
