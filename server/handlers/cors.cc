#include "server/handlers/cors.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "base/text.h"
#include "odata/error.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxAccounts = 1000;  // in the cache

// `https://*.contoso.com` matches every subdomain of contoso.com. Origins compare exactly, case included.
bool origin_fits(const std::string& rule, std::string_view origin) {
  if (rule == "*" || rule == origin) return true;
  const auto star = rule.find("*.");
  if (star == rule.npos) return false;
  const std::string_view before = std::string_view(rule).substr(0, star),
                         behind = std::string_view(rule).substr(star + 1);
  return origin.size() > before.size() + behind.size() && origin.starts_with(before) && origin.ends_with(behind);
}

bool allows_origin(const CorsRule& rule, std::string_view origin) {
  return std::any_of(rule.origins.begin(), rule.origins.end(),
                     [&](const std::string& one) { return origin_fits(one, origin); });
}

bool allows_any_origin(const CorsRule& rule) {
  return std::find(rule.origins.begin(), rule.origins.end(), "*") != rule.origins.end();
}

bool allows_method(const CorsRule& rule, std::string_view method) {
  return std::find(rule.methods.begin(), rule.methods.end(), method) != rule.methods.end();
}

// Names are literal, or prefixes that end in `*`. Case does not matter.
bool covers(const std::vector<std::string>& entries, std::string_view header) {
  return std::any_of(entries.begin(), entries.end(), [&](const std::string& entry) {
    if (!entry.ends_with('*')) return equals_ignoring_case(entry, header);
    const auto prefix = std::string_view(entry).substr(0, entry.size() - 1);
    return equals_ignoring_case(header.substr(0, prefix.size()), prefix);
  });
}

bool allows_headers(const CorsRule& rule, std::string_view requested) {
  while (!trim(requested).empty()) {
    const auto comma = std::min(requested.find(','), requested.size());
    const auto header = trim(requested.substr(0, comma));
    if (!header.empty() && !covers(rule.allowed_headers, header)) return false;
    requested.remove_prefix(std::min(comma + 1, requested.size()));
  }
  return true;
}

bool has_field(const Response& response, std::string_view name) {
  const std::string start = std::string(name) + ": ";
  return response.fields.starts_with(start) || response.fields.find("\r\n" + start) != std::string::npos;
}

// The headers of this response that the rule exposes, in the order of the service. Content-Length and Transfer-Encoding
// are both listed, whichever the response has.
std::string exposed_headers(const Response& response, const CorsRule& rule) {
  constexpr std::array kOrder = {
      "x-ms-request-id", "x-ms-client-request-id", "Server", "x-ms-version", "X-Content-Type-Options", "Cache-Control",
      "x-ms-continuation-NextTableName", "x-ms-continuation-NextPartitionKey", "x-ms-continuation-NextRowKey",
      "Preference-Applied", "DataServiceId", "ETag", "Location", "Content-Type", "Content-Length", "Date",
      "Transfer-Encoding",
      // not recorded: of refusals, and of the emulator
      "x-ms-error-code", "WWW-Authenticate", "Allow", "x-rocktable-plan", "x-rocktable-scanned", "x-rocktable-returned",
      "x-rocktable-read", "x-rocktable-explain"};
  const bool table_layer = has_field(response, "X-Content-Type-Options");
  std::string out;
  for (const std::string_view name : kOrder) {
    const bool framing = name == "Content-Length" || name == "Transfer-Encoding";
    const bool present = framing || has_field(response, name);
    const bool hidden = name == "Content-Type" && !table_layer;
    if (!present || hidden || !covers(rule.exposed_headers, name)) continue;
    if (!out.empty()) out += ',';
    out += name;
  }
  return out;
}

}  // namespace

Response preflight(const RequestContext& context, const std::vector<CorsRule>& rules, const Headers& headers) {
  const auto origin = headers.get("Origin"), method = headers.get("Access-Control-Request-Method");
  const auto requested = headers.get("Access-Control-Request-Headers");
  if (origin.empty() || method.empty())
    throw ServiceException(Error(ErrorCode::InvalidHeaderValue, "A required CORS header is not present."));
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const CorsRule& one) {
    return allows_origin(one, origin) && allows_method(one, method);
  });
  // Documented: the first rule with this origin and method decides, whatever the headers.
  if (rule == rules.end() || !allows_headers(*rule, requested)) throw ServiceException(ErrorCode::CorsPreflightFailure);

  const bool any = allows_any_origin(*rule);
  Response response = front_end_response(context, 200);
  response.add("Access-Control-Allow-Origin", any ? "*" : origin);
  response.add("Access-Control-Allow-Methods", method);
  if (!requested.empty()) response.add("Access-Control-Allow-Headers", requested);
  response.add("Access-Control-Max-Age", std::to_string(rule->max_age_seconds));
  if (!any) response.add("Access-Control-Allow-Credentials", "true");
  return response;
}

bool allows_origin(const std::vector<CorsRule>& rules, std::string_view method, std::string_view origin) {
  return std::any_of(rules.begin(), rules.end(),
                     [&](const CorsRule& one) { return allows_origin(one, origin) && allows_method(one, method); });
}

void add_cors_fields(Response& response, const std::vector<CorsRule>& rules, std::string_view method,
                     std::string_view origin) {
  if (rules.empty()) return;
  const bool reads = method == "GET" || method == "HEAD";
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const CorsRule& one) {
    // Recorded: the service adds the headers to reads without Origin, too, if a rule allows every origin.
    const bool fits = origin.empty() ? reads && allows_any_origin(one) : allows_origin(one, origin);
    return fits && allows_method(one, method);
  });
  if (rule == rules.end()) {
    if (reads) response.add("Vary", "Origin");
    return;
  }
  const bool any = allows_any_origin(*rule);
  const std::string exposed = exposed_headers(response, *rule);
  response.add("Access-Control-Allow-Origin", any ? "*" : origin);
  if (!any) response.add("Access-Control-Allow-Credentials", "true");
  if (!exposed.empty()) response.add("Access-Control-Expose-Headers", exposed);
  if (!any && reads) response.add("Vary", "Origin");
}

const std::vector<CorsRule>& CorsRules::of(const std::string& account) {
  if (is_shared_) expire();
  static thread_local ThreadCopy<std::vector<CorsRule>> copy;
  const std::uint64_t version = version_.current();
  if (const auto* rules = copy.find(version, account)) return *rules;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = rules_.find(account); found != rules_.end())
      return copy.keep(version, account, found->second);
  }
  auto rules = load_service_properties(store_, account).cors;  // without the lock: the call may wait here
  const std::lock_guard lock(mutex_);
  if (version_.current() == version) {  // else they may be outdated
    if (rules_.size() >= kMaxAccounts) rules_.clear();
    rules_.insert_or_assign(account, rules);
  }
  return copy.keep(version, account, std::move(rules));
}

// While the store does not answer, the former rules stay.
void CorsRules::expire() {
  constexpr std::int64_t kMaxAge = 1000;
  const auto now =
      std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  std::int64_t read_at = read_at_;
  if (now - read_at < kMaxAge || store_.unavailable()) return;
  if (read_at_.compare_exchange_strong(read_at, now)) forget_all();
}

void CorsRules::forget(const std::string& account) {
  const std::lock_guard lock(mutex_);
  version_.change();
  rules_.erase(account);
}

void CorsRules::forget_all() {
  const std::lock_guard lock(mutex_);
  version_.change();
  rules_.clear();
}

}  // namespace rocktable
