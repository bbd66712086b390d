// A call to the control API, or for a page of the explorer.
#pragma once

#include <optional>
#include <type_traits>

#include "server/calls/call.h"
#include "server/control/control_api.h"
#include "server/request/request_context.h"

namespace rocktable {

class ControlCall final : public Call {
 public:
  ControlCall(const ControlApi& api, const Request& request);
  // Of a request that is refused already.
  ControlCall(const ControlApi& api, const Request& request, Response refusal);

  Executor executor() const override;
  bool changed_nothing() const override;
  Response busy() const override;
  bool is_refused() const override { return response_.has_value(); }
  Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) override;
  RequestEvent event(const Response& response, std::chrono::microseconds duration) const override {
    return event_of(request_, context_, response, duration);
  }

 private:
  template <class Step>
  std::invoke_result_t<Step> guard(const Step& step) const;

  const ControlApi& api_;
  const Request& request_;
  RequestContext context_;
  std::optional<Response> response_;  // of refusals, and pages
};

}  // namespace rocktable
