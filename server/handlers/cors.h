// Cross-origin requests of browsers: preflights, and what the answers to actual requests say. Rules are tried
// in order, the first that fits decides; they have nothing to do with authentication. Source:
// learn.microsoft.com/rest/api/storageservices/cross-origin-resource-sharing--cors--support-for-the-azure-storage-services
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "odata/protocol/headers.h"
#include "server/handlers/service_properties.h"
#include "server/request/request_context.h"
#include "server/request/response.h"

namespace rocktable {

// The answer to OPTIONS. Throws ServiceException: InvalidHeaderValue (Origin or Access-Control-Request-Method
// missing), CorsPreflightFailure (no rule fits).
Response preflight(const RequestContext& context, const std::vector<CorsRule>& rules, const Headers& headers);

// Adds Access-Control-* and Vary to the answer to an actual request. `origin` is empty where it has none.
void add_cors_fields(Response& response, const std::vector<CorsRule>& rules, std::string_view method,
                     std::string_view origin);

// The rules of accounts at hand, up to a thousand: every answer asks for them. Thread-safe.
class CorsRules {
 public:
  explicit CorsRules(const TableStore& store) : store_(store) {}

  std::shared_ptr<const std::vector<CorsRule>> of(const std::string& account);
  // To be called when the account's service properties have changed.
  void forget(const std::string& account);
  void forget_all();

 private:
  const TableStore& store_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const std::vector<CorsRule>>> rules_;
};

}  // namespace rocktable
