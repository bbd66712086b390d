// `rocktable report --roles`: what each caller of a running rocktable needs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rocktable {

// The report as text, from the document of GET /_rocktable/permissions. Throws nlohmann::json::exception if the
// document has another form.
std::string permission_report(const nlohmann::json& document);

}  // namespace rocktable
