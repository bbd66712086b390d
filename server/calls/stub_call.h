// A call to the blob or the queue service, which are empty (handlers/blob_and_queue_stub.h).
#pragma once

#include "server/calls/admission.h"
#include "server/calls/call.h"

namespace rocktable {

class StubCall final : public Call {
 public:
  StubCall(TableService& service, const Request& request);

  bool changed_nothing() const override { return true; }
  Response busy() const override { return admission_.refuse(ServiceException(ErrorCode::ServerBusy)); }
  bool is_refused() const override { return true; }
  Response run(const std::atomic<bool>& hung_up, MemoryBudget::Share& memory) override;
  RequestEvent event(const Response& response, std::chrono::microseconds duration) const override {
    return event_of(request_, admission_.context(), response, duration);
  }

 private:
  Response answer(bool product_style);

  const Request& request_;
  Admission admission_;
  Response response_;
};

}  // namespace rocktable
