#include "server/control/control_call.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "server/control/control.h"
#include "server/control/control_response.h"

namespace rocktable {

// Runs a step, and renders what it throws.
template <class Step>
std::invoke_result_t<Step> ControlCall::guard(const Step& step) const {
  try {
    return step();
  } catch (const ServiceException& refusal) {
    return control_failure(refusal);
  } catch (const std::exception& failure) {
    spdlog::error("{} {} failed: {}", request_.method, request_.target, failure.what());
    return control_failure(failure);
  }
}

ControlCall::ControlCall(const ControlApi& api, const Request& request) : api_(api), request_(request) {
  context_.request_id = new_guid();
  context_.received = api.state().time.now();
  response_ = guard([&] {
    auto page = api.page(request);
    return page ? std::move(page) : api.refuse(request);
  });
}

ControlCall::ControlCall(const ControlApi& api, const Request& request, Response refusal)
    : api_(api), request_(request), response_(std::move(refusal)) {
  context_.request_id = new_guid();
  context_.received = api.state().time.now();
}

Executor ControlCall::executor() const {
  return !response_ && control_may_block(request_.method, request_.target) ? Executor::Control : Executor::Connection;
}

bool ControlCall::changed_nothing() const {
  return request_.method == "GET" || control_changes_nothing(request_.method, request_.target);
}

Response ControlCall::busy() const { return control_failure(ServiceException(ErrorCode::ServerBusy)); }

Response ControlCall::run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) {
  Response response = response_ ? *std::move(response_) : guard([&] {
    return control_response({request_.method, request_.target, *request_.body, hung_up}, api_.state());
  });
  // Charged here, before the next call of this thread makes one: large ones must not pile up on their way.
  const bool is_large = response.body.size() > kFreeBytes && changed_nothing();
  if (is_large && !memory.take(response.body.size())) response = busy();
  response.sends_body = request_.method != "HEAD";
  return response;
}

}  // namespace rocktable
