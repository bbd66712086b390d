// Responses of the control API: JSON documents, and one form for all refusals.
#pragma once

#include <exception>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "server/access/control_access.h"
#include "server/request/response.h"

namespace rocktable {

Response control_json(int status, const nlohmann::json& document);
// Of a document that is rendered already.
Response control_json_text(int status, std::string text);
// 200, in the text format of Prometheus.
Response control_metrics(std::string text);
// 200 {"status": "done"}
Response control_done();
Response control_error(int status, const std::string& sentence);

// The form of control_error(). A 401 names the scheme in WWW-Authenticate.
Response control_refusal(const ControlRefusal& refusal);
// The response to a request that ended with the exception `fault`.
Response control_failure(const std::exception& fault);

}  // namespace rocktable
