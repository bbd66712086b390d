// The answers of the control surface: JSON, and one form for every refusal.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "server/access/control_access.h"
#include "server/request/response.h"

namespace rocktable {

Response control_json(int status, const nlohmann::json& document);
Response control_error(int status, const std::string& sentence);

// The form of control_error(); a 401 says with what scheme to come again.
Response control_refusal(const ControlRefusal& refusal);
// Of a request that failed.
Response control_failure(const std::exception& fault);

}  // namespace rocktable
