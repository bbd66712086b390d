#include "odata/insight/billed_requests.h"

namespace rocktable {
namespace {

// A row of the documented table stands for three statuses: `NetworkError`, `SASNetworkError`, `AnonymousNetworkError`.
struct BilledStatus {
  std::string_view name;
  bool is_billed, is_billed_if_anonymous;
};

constexpr BilledStatus kBilledStatuses[] = {
    {"Success", true, true},
    {"ThrottlingError", false, false},
    {"ClientTimeoutError", true, true},
    {"ServerTimeoutError", false, false},
    {"ClientOtherError", true, true},
    {"ServerOtherError", false, false},
    {"AuthorizationError", true, false},
    {"NetworkError", true, true},
};

bool remove_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

}  // namespace

bool is_billed(std::string_view request_status, int http_status) {
  const bool is_anonymous = remove_prefix(request_status, "Anonymous");
  if (!is_anonymous) remove_prefix(request_status, "SAS");
  for (const BilledStatus& row : kBilledStatuses)
    if (row.name == request_status) return is_anonymous ? row.is_billed_if_anonymous : row.is_billed;
  return http_status < 500;
}

}  // namespace rocktable
