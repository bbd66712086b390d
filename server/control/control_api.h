// The control API with its rules of access: what all calls to it share.
#pragma once

#include <optional>

#include "server/access/authenticator.h"
#include "server/access/control_access.h"
#include "server/control/control_state.h"
#include "server/request/request.h"
#include "server/request/response.h"

namespace rocktable {

class ControlApi {
 public:
  // `authenticator` must outlive it. `has_pages`: serves the explorer.
  ControlApi(ControlState state, ControlPolicy policy, const Authenticator& authenticator, bool has_pages);

  // Returns the refusal if the caller may not use the API, or if the target is none of ours: a dot segment would lead
  // whoever reads the URL before us to another resource.
  std::optional<Response> refuse(const Request& request) const;
  std::optional<Response> refuse_owner(const Request& request) const;

  // Returns the page, or nullopt if the request is for the API.
  std::optional<Response> page(const Request& request) const;

  const ControlState& state() const { return state_; }

 private:
  const ControlState state_;
  const ControlPolicy policy_;
  const Authenticator& authenticator_;
  const bool has_pages_;
};

}  // namespace rocktable
