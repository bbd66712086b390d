// Reads and writes the documents of `GET /_rocktable/queries` and `GET /_rocktable/permissions`.
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "client/report/insight_report.h"

namespace rocktable {
namespace {

constexpr std::uint64_t kReportVersion = 1;

// An object of the document. Each function leaves its target unchanged if the object lacks the member.
class ReportObject {
 public:
  ReportObject(const nlohmann::json& value, std::string path) : value_(value), path_(std::move(path)) {
    if (!value_.is_object()) refuse("", "an object");
  }

  bool has(const char* name) const { return find(name) != nullptr; }

  void read(const char* name, std::string& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_string()) refuse(name, "text");
      out = member->get<std::string>();
    }
  }

  void read(const char* name, std::uint64_t& out) const {
    if (const auto* const member = find(name)) {
      // A document that was not parsed from text may have signed numbers.
      if (!member->is_number_integer() || (!member->is_number_unsigned() && member->get<std::int64_t>() < 0))
        refuse(name, "a whole number of at least 0");
      out = member->get<std::uint64_t>();
    }
  }

  void read(const char* name, double& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_number()) refuse(name, "a number");
      out = member->get<double>();
    }
  }

  void read(const char* name, bool& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_boolean()) refuse(name, "true or false");
      out = member->get<bool>();
    }
  }

  void read(const char* name, ShapeTimes& out) const {
    if (const auto* const member = find(name)) {
      const ReportObject times(*member, path_of(name));
      times.read("p50", out.p50);
      times.read("p99", out.p99);
      times.read("max", out.max);
    }
  }

  // null is nullopt.
  void read(const char* name, std::optional<std::string>& out) const {
    if (const auto* const member = find(name); member != nullptr && !member->is_null()) read(name, out.emplace());
  }

  void read(const char* name, std::vector<std::string>& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_array()) refuse(name, "a list");
      for (const auto& one : *member) {
        if (!one.is_string()) refuse(name, "a list of texts");
        out.push_back(one.get<std::string>());
      }
    }
  }

  // An object as text in lines: ASCII, without control characters.
  void read_object(const char* name, std::string& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_object()) refuse(name, "an object");
      out = member->dump(2, ' ', true, nlohmann::json::error_handler_t::replace);
    }
  }

  template <class Item>
  void read(const char* name, std::optional<Item>& out) const {
    if (const auto* const member = find(name)) read_members(ReportObject(*member, path_of(name)), out.emplace());
  }

  template <class Item>
  void read(const char* name, std::vector<Item>& out) const {
    if (const auto* const member = find(name)) {
      if (!member->is_array()) refuse(name, "a list");
      out.reserve(member->size());
      for (std::size_t i = 0; i < member->size(); ++i)
        read_members(ReportObject((*member)[i], path_of(name) + "[" + std::to_string(i) + "]"), out.emplace_back());
    }
  }

 private:
  const nlohmann::json* find(const char* name) const {
    const auto found = value_.find(name);
    return found == value_.end() ? nullptr : &*found;
  }

  std::string path_of(const char* name) const { return path_.empty() ? name : path_ + "." + name; }

  [[noreturn]] void refuse(const char* name, const char* expected) const {
    const std::string path = *name == '\0' ? path_ : path_of(name);
    throw std::runtime_error("this is not a report of requests: " + (path.empty() ? "it" : path) + " must be " +
                             expected);
  }

  const nlohmann::json& value_;
  std::string path_;
};

// Calls `member` with the name and the value of each member, in the order of the document.
template <class Shape, class Member>
void for_each_member_of_shape(Shape& shape, const Member& member) {
  member("account", shape.account);
  member("table", shape.table);
  member("operation", shape.operation);
  member("plan", shape.plan);
  member("fingerprint", shape.fingerprint);
  member("select", shape.select);
  member("client", shape.client);
  member("test", shape.test);
  member("requests", shape.requests);
  member("errors", shape.errors);
  member("notFound", shape.not_found);
  member("conflicts", shape.conflicts);
  member("preconditionsFailed", shape.preconditions_failed);
  member("continuations", shape.continuations);
  member("unbilled", shape.unbilled);
  member("abandoned", shape.abandoned);
  member("entitiesScanned", shape.entities_scanned);
  member("mostScannedPerRequest", shape.most_scanned_per_request);
  member("entitiesScannedHere", shape.entities_scanned_here);
  member("entitiesReturned", shape.entities_returned);
  member("entitiesWritten", shape.entities_written);
  member("bytesRead", shape.bytes_read);
  member("bytesSent", shape.bytes_sent);
  member("milliseconds", shape.milliseconds);
  member("partitions", shape.partitions);
  member("partitionsExact", shape.partitions_exact);
  member("mostPartitionsPerRequest", shape.max_partitions_per_request);
  member("example", shape.example);
  member("firstSeen", shape.first_seen);
  member("lastSeen", shape.last_seen);
}

template <class Found, class Member>
void for_each_member_of_finding(Found& finding, const Member& member) {
  member("id", finding.id);
  member("account", finding.account);
  member("table", finding.table);
  member("operation", finding.operation);
  member("fingerprint", finding.fingerprint);
  member("client", finding.client);
  member("test", finding.test);
  member("count", finding.count);
  member("sentence", finding.sentence);
  member("example", finding.example);
}

template <class Table, class Member>
void for_each_member_of_table(Table& table, const Member& member) {
  member("table", table.table);
  member("entities", table.entities);
  member("partitions", table.partitions);
  member("bytes", table.bytes);
  member("complete", table.is_complete);
}

template <class Summary, class Member>
void for_each_member_of_logs(Summary& logs, const Member& member) {
  member("files", logs.files);
  member("lines", logs.lines);
  member("otherServices", logs.other_services);
  member("duplicates", logs.duplicates);
  member("furtherOperations", logs.further_operations);
  member("withoutShape", logs.without_shape);
  member("broken", logs.broken);
  member("firstBroken", logs.first_broken);
}

void read_members(const ReportObject& object, ShapeStatistics& out) {
  object.read("entitiesScanned", out.entities_scanned_here);  // of an older rocktable, which had only this figure
  for_each_member_of_shape(out, [&](const char* name, auto& value) { object.read(name, value); });
  out.counts_entities = object.has("entitiesScanned");
}

void read_members(const ReportObject& object, LogSummary& out) {
  for_each_member_of_logs(out, [&](const char* name, auto& value) { object.read(name, value); });
}

void read_members(const ReportObject& object, Finding& out) {
  for_each_member_of_finding(out, [&](const char* name, auto& value) { object.read(name, value); });
}

void read_members(const ReportObject& object, StoredTable& out) {
  for_each_member_of_table(out, [&](const char* name, auto& value) { object.read(name, value); });
}

void read_members(const ReportObject& object, SmallestSas& out) {
  object.read("sp", out.permissions);
  object.read("srt", out.resource_types);
  object.read("tn", out.table);
  object.read("spk", out.first_partition);
  object.read("epk", out.last_partition);
}

void read_members(const ReportObject& object, CallerNeeds& out) {
  object.read("account", out.account);
  object.read("kind", out.kind);
  object.read("identity", out.identity);
  object.read("oid", out.object_id);
  object.read("requests", out.requests);
  object.read("tables", out.tables);
  object.read("sas", out.sas);
  if (!object.has("builtInRoles")) return;
  SmallestRoles& roles = out.roles.emplace();
  object.read("scope", roles.scope);
  object.read("builtInRoles", roles.built_in);
  roles.custom = "{}";
  object.read_object("customRole", roles.custom);
}

void read_members(const ReportObject& object, PermissionNeeds& out) {
  object.read("callers", out.callers);
  object.read("notCounted", out.not_counted);
}

nlohmann::json json_of(const SmallestSas& sas, bool is_of_account) {
  if (is_of_account) return {{"sp", sas.permissions}, {"srt", sas.resource_types}};
  const auto partition = [](const auto& key) { return key ? nlohmann::json(*key) : nlohmann::json(); };
  return {{"sp", sas.permissions},
          {"tn", sas.table},
          {"spk", partition(sas.first_partition)},
          {"epk", partition(sas.last_partition)}};
}

nlohmann::json json_of(const CallerNeeds& caller) {
  nlohmann::json out = {{"account", caller.account}, {"kind", caller.kind},         {"identity", caller.identity},
                        {"oid", caller.object_id},   {"requests", caller.requests}, {"tables", caller.tables}};
  if (caller.sas) out["sas"] = json_of(*caller.sas, caller.kind == "accountSas");
  if (!caller.roles) return out;
  out["scope"] = caller.roles->scope;
  out["builtInRoles"] = caller.roles->built_in;
  out["customRole"] = nlohmann::json::parse(caller.roles->custom);
  return out;
}

nlohmann::json json_of(const ShapeTimes& times) { return {{"p50", times.p50}, {"p99", times.p99}, {"max", times.max}}; }

template <class Value>
nlohmann::json json_of(const Value& value) {
  return value;
}

}  // namespace

InsightReport parse_insight_report(const nlohmann::json& document) {
  const ReportObject root(document, "");
  std::uint64_t version = 0;
  root.read("version", version);
  if (version == 0) throw std::runtime_error("this is not a report of requests: it has no version");
  if (version != kReportVersion)
    throw std::runtime_error("this report of requests has version " + std::to_string(version) +
                             "; this program reads version " + std::to_string(kReportVersion));
  InsightReport out;
  root.read("since", out.since);
  root.read("until", out.until);
  root.read("program", out.program);
  root.read("notCounted", out.not_counted);
  root.read("shapes", out.shapes);
  root.read("findings", out.findings);
  root.read("logs", out.logs);
  root.read("tables", out.tables);
  root.read("permissions", out.permissions);
  return out;
}

PermissionNeeds parse_permission_needs(const nlohmann::json& document) {
  PermissionNeeds out;
  read_members(ReportObject(document, ""), out);
  return out;
}

nlohmann::json to_json(const PermissionNeeds& needs) {
  nlohmann::json callers = nlohmann::json::array();
  for (const auto& caller : needs.callers) callers.push_back(json_of(caller));
  return {{"callers", std::move(callers)}, {"notCounted", needs.not_counted}};
}

nlohmann::json to_json(const InsightReport& report) {
  nlohmann::json shapes = nlohmann::json::array(), findings = nlohmann::json::array();
  for (const auto& shape : report.shapes) {
    auto& object = shapes.emplace_back(nlohmann::json::object());
    for_each_member_of_shape(shape, [&](const char* name, const auto& value) { object[name] = json_of(value); });
    if (!shape.counts_entities)
      for (const char* const name : {"entitiesScanned", "mostScannedPerRequest", "entitiesScannedHere",
                                     "entitiesReturned", "entitiesWritten", "bytesRead"})
        object.erase(name);
  }
  for (const auto& finding : report.findings) {
    auto& object = findings.emplace_back(nlohmann::json::object());
    for_each_member_of_finding(finding, [&](const char* name, const auto& value) { object[name] = json_of(value); });
  }
  nlohmann::json out = {
      {"version", kReportVersion},      {"program", report.program},        {"since", report.since},
      {"until", report.until},          {"notCounted", report.not_counted}, {"shapes", std::move(shapes)},
      {"findings", std::move(findings)}};
  if (report.logs) {
    auto& object = out["logs"] = nlohmann::json::object();
    for_each_member_of_logs(*report.logs, [&](const char* name, const auto& value) { object[name] = value; });
  }
  for (const auto& table : report.tables) {
    auto& object = out["tables"].emplace_back(nlohmann::json::object());
    for_each_member_of_table(table, [&](const char* name, const auto& value) { object[name] = json_of(value); });
  }
  if (report.permissions) out["permissions"] = to_json(*report.permissions);
  return out;
}

}  // namespace rocktable
