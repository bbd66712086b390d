#include "server/calls/stub_call.h"

#include <utility>

#include "server/handlers/blob_and_queue_stub.h"

namespace rocktable {

StubCall::StubCall(TableService& service, const Request& request)
    : request_(request),
      admission_(service, request),
      response_(admission_.guard([&] { return answer(service.options.product_style); })) {}

Response StubCall::answer(bool product_style) {
  const QueryParameters query = admission_.read_head(product_style);
  admission_.require_account();
  if (request_.method == "OPTIONS") throw ServiceException(ErrorCode::CorsPreflightFailure);  // it has no CORS rules
  admission_.authenticate();
  return blob_and_queue_response(request_, query, admission_.context());
}

Response StubCall::run(const std::atomic<bool>&, MemoryBudget::Share&) {
  Response response = std::move(response_);
  response.sends_body = request_.method != "HEAD";
  return response;
}

}  // namespace rocktable
