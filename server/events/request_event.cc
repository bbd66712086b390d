#include "server/events/request_event.h"

namespace rocktable {

RequestEvent event_of(const Request& request, const RequestContext& context, const Response& response,
                      std::chrono::microseconds duration) {
  RequestEvent out;
  out.remote_address = request.remote_address;
  out.method = request.method;
  out.target = request.target;
  out.request_id = context.request_id;
  out.account = context.target.account;
  out.caller = &context.caller;
  out.user_agent = request.headers.get("User-Agent");
  out.client_request_id = context.client_request_id;
  out.request = &request;
  out.response = &response;
  out.received = context.received;
  out.status = response.status;
  out.error = response.error;
  out.continues = response.continues;
  out.body_bytes = response.body.size();
  out.explanation = response.explanation;
  if (response.delivery) out.changed_by = response.delivery->changed_by;
  out.duration = duration;
  return out;
}

}  // namespace rocktable
