// Logging, metrics and CORS settings of an account: Get and Set Table Service Properties, Get Table Service
// Stats. Source: learn.microsoft.com/rest/api/storageservices/set-table-service-properties
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/error.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

struct Retention {
  std::optional<int> days;  // 1..365; nullopt: disabled

  bool operator==(const Retention&) const = default;
};

struct Logging {
  bool read = false;
  bool write = false;
  bool remove = false;
  Retention retention;

  bool operator==(const Logging&) const = default;
};

struct Metrics {
  bool enabled = false;
  bool include_apis = false;
  Retention retention;

  bool operator==(const Metrics&) const = default;
};

struct CorsRule {
  std::vector<std::string> methods;
  std::vector<std::string> origins;
  std::vector<std::string> allowed_headers;  // literal names before prefixes (`x-ms-meta-*`)
  std::vector<std::string> exposed_headers;  // likewise
  int max_age_seconds = 0;

  bool operator==(const CorsRule&) const = default;
};

// The defaults are those of a new account of the service. rocktable does not log or measure by these settings. It
// stores them, so that clients read back what they wrote.
struct ServiceProperties {
  Logging logging;
  Metrics hour_metrics{true, true, {7}};
  Metrics minute_metrics;
  std::vector<CorsRule> cors;

  bool operator==(const ServiceProperties&) const = default;
};

// Reads a StorageServiceProperties document over `previous`: a missing section keeps its values. Letter case matters in
// the methods of rules, and not in Booleans.
//
// Errors: InvalidXmlDocument (not such a document; a missing, unknown or repeated element; a version other than 1.0;
// retention days outside 1..365; more than five rules, or rules of more than 2 KiB), InvalidXmlNodeValue (an unknown
// method, a negative age, more than 64 origins or literal headers or two prefixes in a rule, an entry over 256
// characters), RequestBodyTooLarge (xml.h).
Result<ServiceProperties> parse_service_properties(std::string_view xml, const ServiceProperties& previous);

std::string render_service_properties(const ServiceProperties& properties);

// The account's stored settings, or the defaults.
ServiceProperties load_service_properties(const Store& store, std::string_view account);

Response get_service_properties(const Store& store, const RequestContext& context);
Response set_service_properties(Store& store, const RequestContext& context, const std::string& body);

// Only at the secondary location. Throws InvalidQueryParameterValue at the primary.
Response get_service_stats(const RequestContext& context);

}  // namespace rocktable
