#include "server/logs/log_entry.h"

#include <algorithm>

#include "base/text.h"

namespace rocktable {
namespace {

struct FieldName {
  std::string_view name;
  LogField field;
};

constexpr FieldName kFieldNames[] = {
    {"time", LogField::Time},
    {"TimeGenerated", LogField::Time},
    {"TimeGenerated [UTC]", LogField::Time},  // in CSV files of the portal
    {"operationName", LogField::OperationName},
    {"statusText", LogField::Status},
    {"statusCode", LogField::HttpStatus},
    {"durationMs", LogField::TotalLatency},
    {"serverLatencyMs", LogField::ServerLatency},
    {"accountName", LogField::Account},
    {"serviceType", LogField::Service},
    {"resourceId", LogField::ResourceId},
    {"_ResourceId", LogField::ResourceId},
    {"uri", LogField::Url},
    {"requestUrl", LogField::Url},
    {"objectKey", LogField::ObjectKey},
    {"operationCount", LogField::OperationNumber},
    {"responseBodySize", LogField::ResponseBytes},
    {"conditionsUsed", LogField::Conditions},
    {"userAgentHeader", LogField::UserAgent},
    {"clientRequestId", LogField::ClientRequestId},
};

}  // namespace

LogField log_field_named(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kFieldNames), std::end(kFieldNames),
                                         [&](const FieldName& one) { return equals_ignoring_case(one.name, name); });
  return found == std::end(kFieldNames) ? LogField::None : found->field;
}

}  // namespace rocktable
