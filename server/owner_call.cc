// Service::Call for requests to the table service that came through the control API: /_rocktable/entities/ACCOUNT/...
// Access to the control API replaces the signature: the caller is the account's owner.
#include "server/control/control.h"
#include "server/control/control_response.h"
#include "server/disturbance.h"
#include "server/service.h"

namespace rocktable {

// Only the pages of queries are as the service's behaviour makes them: whoever looks must see the short pages that the
// program gets. Faults are for the program's requests.
void Service::Call::keep_boundaries_only() {
  const auto behaviour = service_->behaviours_.of(context_.target.account);
  context_.behaviour = nullptr;
  if (behaviour == nullptr || behaviour->boundaries == 0) return;
  Behaviour pages;
  pages.boundaries = behaviour->boundaries;
  pages.seed = behaviour->seed;
  owners_behaviour_ = std::make_unique<const Behaviour>(pages);
  context_.behaviour = owners_behaviour_.get();
}

std::optional<Response> Service::accept_as_owner(const Request& request, Call& call) {
  if (const auto refusal = refuse_control(request)) return control_refusal(*refusal);
  // Whoever reads this URL before us would reach another control resource, with the owner's token.
  if (has_dot_segment(request.target)) return control_error(400, "The path has a dot segment.");
  call.may_ask_ = true;
  call.forwarded_ = std::make_unique<Request>(request);
  call.forwarded_->target.remove_prefix(kOwnersPrefix.size() - 1);
  call.request_ = call.forwarded_.get();
  return accept(*call.forwarded_, call);
}

// The target that the client sent.
std::string_view Service::Call::owners_target() const {
  constexpr std::size_t kPrefix = kOwnersPrefix.size() - 1;
  const std::string_view rest = request_->target;
  return forwarded_ ? std::string_view(rest.data() - kPrefix, rest.size() + kPrefix) : rest;
}

void Service::Call::add_owners_fields(Response& response) const {
  const auto microseconds =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start_);
  response.add("x-rocktable-milliseconds", std::to_string(static_cast<double>(microseconds.count()) / 1000));
}

}  // namespace rocktable
