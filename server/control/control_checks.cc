#include "server/control/control_checks.h"

#include <algorithm>
#include <string>

#include "base/text.h"
#include "server/access/accounts.h"
#include "server/control/control_response.h"

namespace rocktable {

std::optional<Response> refuse_parameters(const QueryParameters& query, std::initializer_list<std::string_view> known) {
  for (const auto& [name, value] : query.all()) {
    const auto is_it = [&](std::string_view one) { return equals_ignoring_case(one, name); };
    if (std::none_of(known.begin(), known.end(), is_it))
      return control_error(400, "There is no parameter " + name + ".");
    if (value.empty()) return control_error(400, "The parameter " + name + " has no value.");
    const auto again = [&](const auto& parameter) { return is_it(parameter.first); };
    if (std::count_if(query.all().begin(), query.all().end(), again) > 1)
      return control_error(400, "The parameter " + name + " is repeated.");
  }
  return std::nullopt;
}

Response unknown_account(std::string_view account) {
  const std::string name(account);
  if (!is_account_name(account))
    return control_error(404, name + " is not an account name: it must have 3 to 24 lower-case letters and digits.");
  return control_error(
      404, "This server does not serve the account " + name + ". With --anyAccount it serves every account.");
}

}  // namespace rocktable
