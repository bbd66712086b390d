// Any bytes as a file of roles: refused with a sentence and a place, or roles that are the same after they were written as
// JSON, and that permit a stranger nothing.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "server/access/roles/roles.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {

void fuzz_roles(std::string_view input) {
  RoleDocument roles;
  try {
    roles = parse_roles(input, "roles");
  } catch (const FileError& error) {
    require(std::string_view(error.what()).starts_with("roles:"), "an error without a place");
    return;
  }
  const auto json = to_json(roles);
  const std::string text = json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  if (is_utf8(input)) require(to_json(parse_roles(text, "again")) == json, "roles change when they are written");
  const Grants stranger(std::make_shared<const RoleDocument>(std::move(roles)), "", "", "acc");
  for (int i = 0; i < kTableActionCount; ++i)
    require(!stranger.permit({static_cast<TableAction>(i)}, "mytable"), "a stranger may do something");
}

}  // namespace rocktable
