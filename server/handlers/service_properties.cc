#include "server/handlers/service_properties.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "base/text.h"
#include "base/threads/mutex.h"
#include "odata/value.h"
#include "server/request/xml.h"

namespace rocktable {
namespace {

constexpr int kMaxRetentionDays = 365;
constexpr std::size_t kMaxRules = 5;
constexpr std::size_t kMaxEntries = 64;
constexpr std::size_t kMaxPrefixes = 2;
constexpr std::size_t kMaxEntryLength = 256;
constexpr std::size_t kMaxCorsBytes = 2048;  // of all rules together, without tags
constexpr std::array kMethods = {"DELETE",  "GET", "HEAD",  "MERGE", "POST",
                                 "OPTIONS", "PUT", "PATCH", "TRACE", "CONNECT"};

// --- Reading --------------------------------------------------------------------------------------------

// The element children by name. Refuses unknown and repeated ones.
using Children = std::map<std::string_view, pugi::xml_node>;

Children children_of(const pugi::xml_node& parent, const std::vector<std::string_view>& known) {
  Children out;
  for (const auto& child : child_elements(parent)) {
    if (std::find(known.begin(), known.end(), child.name()) == known.end()) refuse(ErrorCode::InvalidXmlDocument);
    if (!out.emplace(child.name(), child).second) refuse(ErrorCode::InvalidXmlDocument);
  }
  return out;
}

std::string text_of(const Children& children, std::string_view name) {
  const auto found = children.find(name);
  if (found == children.end()) refuse(ErrorCode::InvalidXmlDocument);
  return leaf_text(found->second);
}

bool bool_of(const Children& children, std::string_view name) {
  const std::string text = text_of(children, name);
  const bool is_true = equals_ignoring_case(text, "true");
  if (!is_true && !equals_ignoring_case(text, "false")) refuse(ErrorCode::InvalidXmlDocument);
  return is_true;
}

void require_version(const Children& children) {
  if (text_of(children, "Version") != "1.0") refuse(ErrorCode::InvalidXmlDocument);
}

Retention parse_retention(const Children& section) {
  const auto found = section.find("RetentionPolicy");
  if (found == section.end()) refuse(ErrorCode::InvalidXmlDocument);
  const Children policy = children_of(found->second, {"Enabled", "Days"});
  if (!bool_of(policy, "Enabled")) return {};
  const auto days = parse_int32(text_of(policy, "Days"));
  if (!days || *days < 1 || *days > kMaxRetentionDays) refuse(ErrorCode::InvalidXmlDocument);
  return {days};
}

Logging parse_logging(const pugi::xml_node& node) {
  const Children section = children_of(node, {"Version", "Delete", "Read", "Write", "RetentionPolicy"});
  require_version(section);
  return {bool_of(section, "Read"), bool_of(section, "Write"), bool_of(section, "Delete"), parse_retention(section)};
}

Metrics parse_metrics(const pugi::xml_node& node) {
  const Children section = children_of(node, {"Version", "Enabled", "IncludeAPIs", "RetentionPolicy"});
  require_version(section);
  const bool enabled = bool_of(section, "Enabled");
  const bool include_apis = (enabled || section.contains("IncludeAPIs")) && bool_of(section, "IncludeAPIs");
  return {enabled, enabled && include_apis, parse_retention(section)};
}

std::vector<std::string> split_list(const std::string& text) {
  std::vector<std::string> out;
  for (std::string_view rest = text; !trim(rest).empty();) {
    const auto comma = std::min(rest.find(','), rest.size());
    out.emplace_back(trim(rest.substr(0, comma)));
    if (out.back().empty() || utf16_length(out.back()) > kMaxEntryLength) refuse(ErrorCode::InvalidXmlNodeValue);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return out;
}

bool is_prefix(const std::string& header) { return header.ends_with('*'); }

std::vector<std::string> parse_headers(const std::string& text) {
  std::vector<std::string> out = split_list(text);
  const auto prefixes = std::stable_partition(out.begin(), out.end(), std::not_fn(is_prefix));
  const auto literals = static_cast<std::size_t>(prefixes - out.begin());
  if (literals > kMaxEntries || out.size() - literals > kMaxPrefixes) refuse(ErrorCode::InvalidXmlNodeValue);
  return out;
}

std::vector<std::string> parse_methods(const std::string& text) {
  std::vector<std::string> out = split_list(text);
  const auto is_known = [](const std::string& method) {
    return std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end();
  };
  if (out.empty() || !std::all_of(out.begin(), out.end(), is_known)) refuse(ErrorCode::InvalidXmlNodeValue);
  return out;
}

CorsRule parse_rule(const pugi::xml_node& node) {
  const Children rule =
      children_of(node, {"AllowedMethods", "AllowedOrigins", "AllowedHeaders", "ExposedHeaders", "MaxAgeInSeconds"});
  CorsRule out{parse_methods(text_of(rule, "AllowedMethods")), split_list(text_of(rule, "AllowedOrigins")),
               parse_headers(text_of(rule, "AllowedHeaders")), parse_headers(text_of(rule, "ExposedHeaders")), 0};
  const auto age = parse_int32(text_of(rule, "MaxAgeInSeconds"));
  if (out.origins.empty() || out.origins.size() > kMaxEntries || !age || *age < 0)
    refuse(ErrorCode::InvalidXmlNodeValue);
  out.max_age_seconds = *age;
  return out;
}

std::size_t text_bytes(const pugi::xml_node& rule) {
  std::size_t bytes = 0;
  for (const auto& field : child_elements(rule)) bytes += leaf_text(field).size();
  return bytes;
}

std::vector<CorsRule> parse_rules(const pugi::xml_node& node) {
  std::vector<CorsRule> out;
  std::size_t bytes = 0;
  for (const auto& child : child_elements(node)) {
    if (std::string_view(child.name()) != "CorsRule" || out.size() == kMaxRules) refuse(ErrorCode::InvalidXmlDocument);
    out.push_back(parse_rule(child));
    bytes += text_bytes(child);
  }
  if (bytes > kMaxCorsBytes) refuse(ErrorCode::InvalidXmlDocument);
  return out;
}

ServiceProperties parse(std::string_view xml, ServiceProperties out) {
  const auto document = parse_xml(xml, "StorageServiceProperties");
  if (child_elements(document.document_element()).empty()) refuse(ErrorCode::InvalidXmlDocument);
  for (const auto& [name, node] :
       children_of(document.document_element(), {"Logging", "HourMetrics", "MinuteMetrics", "Cors"})) {
    if (name == "Logging") out.logging = parse_logging(node);
    if (name == "HourMetrics") out.hour_metrics = parse_metrics(node);
    if (name == "MinuteMetrics") out.minute_metrics = parse_metrics(node);
    if (name == "Cors") out.cors = parse_rules(node);
  }
  return out;
}

// --- Writing --------------------------------------------------------------------------------------------

void add(pugi::xml_node& parent, const char* name, std::string_view text) {
  auto child = parent.append_child(name);
  if (!text.empty()) child.text() = std::string(text).c_str();
}

void add_flag(pugi::xml_node& parent, const char* name, bool value) {
  parent.append_child(name).text() = value ? "true" : "false";
}

void add_retention(pugi::xml_node& section, const Retention& retention) {
  auto policy = section.append_child("RetentionPolicy");
  add_flag(policy, "Enabled", retention.days.has_value());
  if (retention.days) add(policy, "Days", std::to_string(*retention.days));
}

void add_metrics(pugi::xml_node& root, const char* name, const Metrics& metrics) {
  auto section = root.append_child(name);
  add(section, "Version", "1.0");
  add_flag(section, "Enabled", metrics.enabled);
  if (metrics.enabled) add_flag(section, "IncludeAPIs", metrics.include_apis);
  add_retention(section, metrics.retention);
}

std::string joined(const std::vector<std::string>& entries) {
  std::string out;
  for (const auto& entry : entries) {
    if (!out.empty()) out += ',';
    out += entry;
  }
  return out;
}

}  // namespace

Result<ServiceProperties> parse_service_properties(std::string_view xml, const ServiceProperties& previous) {
  try {
    return parse(xml, previous);
  } catch (const ServiceException& refusal) {
    return refusal.error();
  }
}

std::string render_service_properties(const ServiceProperties& properties) {
  pugi::xml_document document = new_xml();
  auto root = document.append_child("StorageServiceProperties");
  auto logging = root.append_child("Logging");
  add(logging, "Version", "1.0");
  add_flag(logging, "Read", properties.logging.read);
  add_flag(logging, "Write", properties.logging.write);
  add_flag(logging, "Delete", properties.logging.remove);
  add_retention(logging, properties.logging.retention);
  add_metrics(root, "HourMetrics", properties.hour_metrics);
  add_metrics(root, "MinuteMetrics", properties.minute_metrics);
  auto cors = root.append_child("Cors");
  for (const auto& rule : properties.cors) {
    auto node = cors.append_child("CorsRule");
    add(node, "AllowedMethods", joined(rule.methods));
    add(node, "AllowedOrigins", joined(rule.origins));
    add(node, "AllowedHeaders", joined(rule.allowed_headers));
    add(node, "ExposedHeaders", joined(rule.exposed_headers));
    add(node, "MaxAgeInSeconds", std::to_string(rule.max_age_seconds));
  }
  return render_xml(document);
}

ServiceProperties load_service_properties(const Store& store, std::string_view account) {
  const auto stored = store.service_properties(account);
  return stored ? parse_service_properties(*stored, {}).value() : ServiceProperties();
}

Response get_service_properties(const Store& store, const RequestContext& context) {
  return xml_response(context, render_service_properties(load_service_properties(store, context.target.account)));
}

Response set_service_properties(Store& store, const RequestContext& context, const std::string& body) {
  static Mutex read_modify_write;  // concurrent writes of different sections must both take effect
  const std::lock_guard lock(read_modify_write);
  const ServiceProperties previous = load_service_properties(store, context.target.account);
  const ServiceProperties next = parse_service_properties(body, previous).value();
  store.set_service_properties(context.target.account, render_service_properties(next));
  Response response = front_end_response(context, 202);
  response.framing = Response::Framing::Chunked;
  return response;
}

Response get_service_stats(const RequestContext& context) {
  if (!context.target.secondary) throw ServiceException(ErrorCode::InvalidQueryParameterValue);
  // Both locations are one store here, so the last synchronization is now.
  pugi::xml_document document = new_xml();
  auto replication = document.append_child("StorageServiceStats").append_child("GeoReplication");
  add(replication, "Status", "live");
  add(replication, "LastSyncTime", to_http_date(context.received));
  return xml_response(context, render_xml(document));
}

}  // namespace rocktable
