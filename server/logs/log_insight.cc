#include "server/logs/log_insight.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/printable.h"
#include "odata/insight/text_hash.h"
#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxOtherExample = 500;
constexpr std::string_view kNotRead = "(not read)";  // in place of a fingerprint

// Times that no record had.
void remove_unknown_times(nlohmann::json& shape) {
  for (const char* const name : {"firstSeen", "lastSeen"})
    if (shape[name] == to_string(DateTime{})) shape[name] = "";
}

}  // namespace

std::string LogInsight::add(const LogEntry& entry) {
  if (!is_of_table_service(entry)) {
    ++understood_;
    ++other_services_;
    return {};
  }
  const LogRequest request(entry);
  if (!request.why_broken().empty()) return request.why_broken();
  ++understood_;
  if (is_duplicate(entry)) {
    ++duplicates_;
    return {};
  }
  if (const std::string_view number = entry[LogField::OperationNumber]; !number.empty() && number != "0") {
    ++further_operations_;
    return {};
  }
  note_time(request.event().received);
  if (request.event().operation == nullptr) {
    add_other(entry, request.event());
  } else {
    insight_.record(request.event());
  }
  return {};
}

void LogInsight::add_broken(const std::string& place, std::string_view why) {
  if (broken_++ == 0) first_broken_ = printable(place + ": " + std::string(why));
}

// "Duplicate records may exist for logs created in the same hour."
// Source: learn.microsoft.com/azure/storage/common/storage-analytics-logging#how-logs-are-stored
bool LogInsight::is_duplicate(const LogEntry& entry) {
  const std::string_view id = entry[LogField::RequestId];
  return !id.empty() && !ids_.add(joined_hash(text_hash(id), text_hash(entry[LogField::OperationNumber])));
}

void LogInsight::add_other(const LogEntry& entry, const RequestEvent& event) {
  ++without_shape_;
  std::pair name(std::string(event.account), bounded_name(name_in_reports(entry[LogField::OperationName])));
  if (others_.size() >= kMaxOthers && !others_.contains(name)) name = {"*", "*"};
  OtherRequests& other = others_[std::move(name)];
  if (other.requests++ == 0)
    other.example = printable(std::string(event.method)
                                  .append(event.method.empty() ? "" : " ")
                                  .append(without_signature(event.target.substr(0, kMaxOtherExample))));
  other.errors += event.status >= 400 ? 1 : 0;
  other.unbilled += *event.is_billed ? 0 : 1;
  other.bytes_sent += event.body_bytes;
}

void LogInsight::note_time(DateTime time) {
  if (time == DateTime{}) return;
  first_ = std::min(first_.value_or(time), time);
  last_ = std::max(last_.value_or(time), time);
}

nlohmann::json LogInsight::document() const {
  auto out = nlohmann::json::parse(insight_.to_json({}, last_.value_or(DateTime{})));
  out.erase("minutes");
  out["since"] = first_ ? to_string(*first_) : "";
  out["until"] = last_ ? to_string(*last_) : "";
  for (auto& shape : out["shapes"]) remove_unknown_times(shape);
  for (const auto& [name, other] : others_)
    out["shapes"].push_back({{"account", name.first},
                             {"table", ""},
                             {"operation", name.second},
                             {"plan", ""},
                             {"fingerprint", kNotRead},
                             {"requests", other.requests},
                             {"errors", other.errors},
                             {"unbilled", other.unbilled},
                             {"bytesSent", other.bytes_sent},
                             {"example", other.example}});
  out["logs"] = logs_json();
  return out;
}

nlohmann::json LogInsight::logs_json() const {
  return {{"files", files_},
          {"lines", lines_},
          {"otherServices", other_services_},
          {"duplicates", duplicates_},
          {"furtherOperations", further_operations_},
          {"withoutShape", without_shape_},
          {"broken", broken_},
          {"firstBroken", first_broken_}};
}

}  // namespace rocktable
