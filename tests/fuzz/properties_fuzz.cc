// Any bytes as service properties: refused, or settings within their limits, which are unchanged after
// writing and reading, with any earlier settings.
#include "server/handlers/service_properties.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

namespace rocktable {
namespace {

void check_retention(const Retention& retention) {
  require(!retention.days || (*retention.days >= 1 && *retention.days <= 365), "a retention beyond its limits");
}

void check_entries(const std::vector<std::string>& entries, std::size_t limit) {
  require(entries.size() <= limit, "too many entries");
  for (const auto& entry : entries)
    require(!entry.empty() && is_utf8(entry) && utf16_length(entry) <= 256 && trim(entry) == entry &&
                entry.find(',') == entry.npos && is_one_line(entry),
            "an entry beyond its limits");
}

void check_rule(const CorsRule& rule) {
  require(!rule.methods.empty() && !rule.origins.empty() && rule.max_age_seconds >= 0, "a rule that is none");
  check_entries(rule.origins, 64);
  check_entries(rule.allowed_headers, 64 + 2);
  check_entries(rule.exposed_headers, 64 + 2);
}

}  // namespace

void fuzz_properties(std::string_view input) {
  const ServiceProperties defaults;
  ServiceProperties other{{true, true, true, {365}}, {}, {true, false, {1}}, {}};
  const auto properties = parse_service_properties(input, defaults);
  require(properties.has_value() == parse_service_properties(input, other).has_value(),
          "what was set before decides whether a document is read");
  if (!properties) return require_refusal(properties.error(), input.size());
  for (const auto& retention :
       {properties->logging.retention, properties->hour_metrics.retention, properties->minute_metrics.retention})
    check_retention(retention);
  require(properties->cors.size() <= 5, "too many rules");
  for (const auto& rule : properties->cors) check_rule(rule);

  const std::string xml = render_service_properties(*properties);
  const auto again = parse_service_properties(xml, other);
  require(again && *again == *properties, "properties change when written and read");
  require(render_service_properties(*again) == xml, "properties have two spellings");
}

}  // namespace rocktable
