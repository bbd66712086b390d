#include "server/control/control_api.h"

#include <utility>

#include "base/date_time.h"
#include "server/control/control.h"
#include "server/control/control_response.h"
#include "server/explorer/explorer_pages.h"

namespace rocktable {

ControlApi::ControlApi(ControlState state, ControlPolicy policy, const Authenticator& authenticator, bool has_pages)
    : state_(std::move(state)), policy_(std::move(policy)), authenticator_(authenticator), has_pages_(has_pages) {}

std::optional<Response> ControlApi::refuse(const Request& request) const {
  // A control token closes the control surface to the well-known key.
  const bool secret = !policy_.token.empty();
  const auto is_signed = [&] {
    // By the wall clock: a client must be able to turn the clock back.
    return authenticator_.is_signed_by_account(request, now(), secret);
  };
  const auto refusal = refuse_control(policy_, control_resource(request.target), request.headers, is_signed);
  if (!refusal) return std::nullopt;
  return control_refusal(*refusal);
}

std::optional<Response> ControlApi::refuse_owner(const Request& request) const {
  if (auto refusal = refuse(request)) return refusal;
  if (has_dot_segment(request.target)) return control_error(400, "The path has a dot segment.");
  return std::nullopt;
}

std::optional<Response> ControlApi::page(const Request& request) const {
  if (!is_explorer_target(request.target)) return std::nullopt;
  return explorer_response(policy_, has_pages_, request.method, request.target, request.headers);
}

}  // namespace rocktable
