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

std::string_view control_resource(std::string_view target) {
  return target.substr(0, target.find('?')).substr(kControlPrefix.size());
}

Response control_response(std::string_view method, std::string_view resource, const ControlState& state) {
  const bool health = resource == "health", ready = resource == "ready", stats = resource == "stats";
  if (!health && !ready && !stats) return json_response(404, {{"error", "no such control resource"}});
  if (method != "GET" && method != "HEAD") {
    Response response = json_response(405, {{"error", "this control resource knows GET alone"}});
    response.add("Allow", "GET, HEAD");
    return response;
  }
  if (stats) return json_response(200, state.statistics.to_json());
  if (ready && state.stopping) return json_response(503, {{"status", "stopping"}});
  return json_response(200, {{"status", "ready"}});
}

Response control_refusal(const ControlRefusal& refusal) {
  Response response = json_response(refusal.status, {{"error", refusal.error}});
  if (refusal.status == 401) response.add("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace rocktable
