#include "server/access/page_checks.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

bool is_of_other_origin(const Headers& headers) {
  const auto site = headers.get("Sec-Fetch-Site");
  if (!site.empty() && site != "same-origin" && site != "none") return true;
  const std::string_view origin = headers.get("Origin");
  if (origin.empty()) return false;
  const auto scheme_end = origin.find("://");  // there is none in `null`
  return scheme_end == origin.npos || origin.substr(scheme_end + 3) != headers.get("Host");
}

bool has_safe_content_type(const Headers& headers) {
  constexpr std::array<std::string_view, 4> kSafe = {"", "application/x-www-form-urlencoded", "multipart/form-data",
                                                     "text/plain"};
  const std::string_view whole = headers.get("Content-Type");
  const auto type = trim(whole.substr(0, whole.find(';')));
  return std::ranges::any_of(kSafe, [&](std::string_view safe) { return equals_ignoring_case(type, safe); });
}

// The headers of this service that no page may send without a preflight.
bool asks_for_preflight(std::string_view name) {
  constexpr std::array<std::string_view, 6> kNames = {
      "Authorization", "DataServiceVersion", "If-Match", "MaxDataServiceVersion", "Prefer", "X-HTTP-Method"};
  constexpr std::string_view kOwn = "x-ms-";
  return equals_ignoring_case(name.substr(0, kOwn.size()), kOwn) ||
         std::ranges::any_of(kNames, [&](std::string_view one) { return equals_ignoring_case(name, one); });
}

// Node's fetch sends Accept-Language: *, and no Sec-Fetch-Site.
bool is_of_browser(const Headers& headers) {
  const auto language = headers.get("Accept-Language");
  return headers.get("User-Agent").starts_with("Mozilla/") || headers.has("Origin") || headers.has("Sec-Fetch-Site") ||
         (!language.empty() && language != "*");
}

}  // namespace

bool is_blind_write(const Request& request) {
  const Headers& headers = request.headers;
  if (request.method != "POST" || !is_of_other_origin(headers)) return false;
  return has_safe_content_type(headers) &&
         std::ranges::none_of(headers.all(), [](const auto& header) { return asks_for_preflight(header.first); });
}

bool is_for_foreign_host(const Request& request, const ControlPolicy& policy) {
  const std::string_view host = request.headers.get("Host");
  constexpr std::string_view kUsual = "127.0.0.1";
  if (host.starts_with(kUsual) && (host.size() == kUsual.size() || host[kUsual.size()] == ':')) return false;
  if (!is_of_browser(request.headers) || is_own_host(policy, request.headers)) return false;
  const std::string_view name = without_port(host);
  const bool is_plain = name.find('.') == name.npos && policy.is_open_to_others();
  return !is_plain && !equals_ignoring_case(name, policy.machine);
}

}  // namespace rocktable
