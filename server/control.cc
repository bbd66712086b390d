#include "server/control.h"

#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

Response json_response(int status, const nlohmann::json& document) {
  Response response;
  response.status = status;
  response.add("Content-Type", "application/json");
  response.add("Cache-Control", "no-store");
  response.body = document.dump() + "\n";
  return response;
}

}  // namespace

Response control_response(std::string_view method, std::string_view path, const Statistics& statistics) {
  const std::string_view resource = path.substr(0, path.find('?')).substr(kControlPrefix.size());
  const bool health = resource == "health", stats = resource == "stats";
  if (!health && !stats) return json_response(404, {{"error", "no such control resource"}});
  if (method != "GET" && method != "HEAD") {
    Response response = json_response(405, {{"error", "this control resource knows GET alone"}});
    response.add("Allow", "GET, HEAD");
    return response;
  }
  if (stats) return json_response(200, statistics.to_json());
  return json_response(200, {{"status", "ready"}, {"version", ROCKTABLE_VERSION}});
}

}  // namespace rocktable
