#include "server/control/control_response.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "server/request/error_response.h"
#include "storage/fixture_types.h"

namespace rocktable {

constexpr std::size_t kMaxSpareBytes = 16 << 10;

Response control_json(int status, const nlohmann::json& document) {
  // Text from a URL need not be UTF-8.
  return control_json_text(status, document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Response control_json_text(int status, std::string text) {
  Response response;
  response.status = status;
  response.add("Content-Type", "application/json");
  response.add("Cache-Control", "no-store");
  response.body = std::move(text);
  response.body += '\n';
  // The renderer doubles its buffer; a response is charged by its size while it waits for its client.
  if (response.body.capacity() > response.body.size() + kMaxSpareBytes) response.body.shrink_to_fit();
  return response;
}

Response control_metrics(std::string text) {
  Response response;
  response.status = 200;
  response.add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
  response.add("Cache-Control", "no-store");
  response.body = std::move(text);
  return response;
}

Response control_done() { return control_json(200, {{"status", "done"}}); }

Response control_error(int status, const std::string& sentence) { return control_json(status, {{"error", sentence}}); }

Response control_refusal(const ControlRefusal& refusal) {
  Response response = control_error(refusal.status, refusal.error);
  if (refusal.status == 401) response.add("WWW-Authenticate", "Bearer");
  return response;
}

Response control_failure(const std::exception& fault) {
  const auto* refusal = dynamic_cast<const ServiceException*>(&fault);
  if (dynamic_cast<const NotSupportedByStore*>(&fault) != nullptr) return control_error(501, fault.what());
  if (refusal == nullptr) return control_error(500, fault.what());
  return control_error(status_of(refusal->error().code), refusal->error().message);
}

}  // namespace rocktable
