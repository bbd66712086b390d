// Cross-origin requests of browsers: preflights, and the CORS headers of responses to actual requests. The first rule
// that matches decides. Rules are independent of authentication. Source:
// learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/threads/mutex.h"
#include "base/threads/thread_copy.h"
#include "odata/protocol/headers.h"
#include "server/handlers/service_properties.h"
#include "server/request/request_context.h"
#include "server/request/response.h"

namespace rocktable {

// The response to OPTIONS. Throws ServiceException: InvalidHeaderValue (Origin or Access-Control-Request-Method
// missing), CorsPreflightFailure (no rule matches).
Response preflight(const RequestContext& context, const std::vector<CorsRule>& rules, const Headers& headers);

// Whether a rule allows actual requests from this origin.
bool allows_origin(const std::vector<CorsRule>& rules, std::string_view method, std::string_view origin);

// Adds Access-Control-* and Vary to the response to an actual request. `origin` is empty if the request has none.
void add_cors_fields(Response& response, const std::vector<CorsRule>& rules, std::string_view method,
                     std::string_view origin);

// Caches the rules of up to a thousand accounts, because every response needs them. Thread-safe.
class CorsRules {
 public:
  explicit CorsRules(const Store& store) : store_(store), is_shared_(store.is_remote()) {}

  // Valid until the thread's next call.
  const std::vector<CorsRule>& of(const std::string& account);
  // Must be called after the account's service properties have changed.
  void forget(const std::string& account);
  void forget_all();

 private:
  void expire();

  const Store& store_;
  const bool is_shared_;                   // other programs may change the properties; then rules are kept for a second
  std::atomic<std::int64_t> read_at_ = 0;  // steady clock, milliseconds
  Version version_;                        // changes before rules are removed
  Mutex mutex_;
  std::unordered_map<std::string, std::vector<CorsRule>> rules_;
};

}  // namespace rocktable
