#include "server/logs/log_request.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"
#include "odata/insight/billed_requests.h"
#include "odata/protocol/headers.h"
#include "server/request/operation_table.h"
#include "server/request/target.h"

namespace rocktable {
namespace {

struct LoggedOperation {
  std::string_view name, method;
  std::string_view name_in_reports = name;
};

// The operations of the table service that logs have, without TablePreflightRequest: reports have none.
// Source: learn.microsoft.com/rest/api/storageservices/storage-analytics-logged-operations-and-status-messages
constexpr LoggedOperation kLoggedOperations[] = {
    {"EntityGroupTransaction", "POST", "Batch"},
    {"CreateTable", "POST"},
    {"DeleteTable", "DELETE"},
    {"DeleteEntity", "DELETE"},
    {"InsertEntity", "POST"},
    {"InsertOrMergeEntity", "MERGE"},
    {"InsertOrReplaceEntity", "PUT"},
    {"QueryEntity", "GET", "GetEntity"},
    {"QueryEntities", "GET"},
    {"QueryTable", "GET", "GetTable"},
    {"QueryTables", "GET"},
    {"UpdateEntity", "PUT"},
    {"MergeEntity", "MERGE"},
    {"SetTableServiceProperties", "PUT", "SetServiceProperties"},
    {"GetTableServiceProperties", "GET", "GetServiceProperties"},
};

const LoggedOperation* find_logged_operation(std::string_view name) {
  const auto* const found = std::find_if(std::begin(kLoggedOperations), std::end(kLoggedOperations),
                                         [&](const LoggedOperation& one) { return one.name == name; });
  return found == std::end(kLoggedOperations) ? nullptr : found;
}

// Of a name of an account or an operation in a log, which may be any text.
constexpr std::size_t kMaxName = 64;
constexpr std::size_t kMaxUrl = 64 * 1024;  // of which keys and filters are kept

bool contains_ignoring_case(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char a, char b) { return to_lower_ascii(a) == to_lower_ascii(b); }) != text.end();
}

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return out;
}

// An example in the documentation has slashes: `2018/11/08 21:09:36.6900118`. The portal's CSV files have times as the
// browser's language writes them (`11/8/2018, 9:09:36.690 PM`): these are not known, and no reason to refuse the row.
std::optional<DateTime> time_of(std::string_view text) {
  if (text.find('/') == text.npos) return parse_date_time(text);
  if (text.find(',') != text.npos) return DateTime{};
  std::string dashes(text);
  std::replace(dashes.begin(), dashes.end(), '/', '-');
  return parse_date_time(dashes);
}

std::chrono::microseconds latency_of(const LogEntry& entry) {
  constexpr double kMaxMilliseconds = 1e9;
  const std::string_view server = entry[LogField::ServerLatency];
  const auto milliseconds = number_of<double>(server.empty() ? entry[LogField::TotalLatency] : server);
  if (!milliseconds || !(*milliseconds >= 0)) return {};
  return std::chrono::microseconds(std::llround(std::min(*milliseconds, kMaxMilliseconds) * 1000));
}

// Azure Monitor has the values of some headers in quotes.
std::string_view without_quotes(std::string_view text) {
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' ? text.substr(1, text.size() - 2) : text;
}

// What follows scheme and host.
std::string_view target_of_url(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == url.npos) return url;
  return url.substr(std::min(url.find('/', scheme + 3), url.size()));
}

// An update or a deletion always has an If-Match. Which one it was matters to the detector of lost updates. Where the
// log does not say, it was an ETag, so that nobody is blamed.
std::string_view if_match_of(std::string_view logged_operation, std::string_view conditions) {
  constexpr std::string_view kAnyTag = R"(W/"datetime'2000-01-01T00%3A00%3A00Z'")";
  constexpr std::string_view kConditional[] = {"UpdateEntity", "MergeEntity", "DeleteEntity"};
  if (std::find(std::begin(kConditional), std::end(kConditional), logged_operation) == std::end(kConditional))
    return {};
  return conditions.find("If-Match=*") == conditions.npos ? kAnyTag : "*";
}

// The parameters that tell what a query reads. Others, such as those of signatures, may be ones that only the real
// service knows.
std::string essential_query(std::string_view raw_query, bool with_token) {
  std::string out;
  while (!raw_query.empty()) {
    const std::string_view parameter = raw_query.substr(0, raw_query.find('&'));
    raw_query.remove_prefix(std::min(parameter.size() + 1, raw_query.size()));
    for (const std::string_view name : {"$filter=", "$select=", "$top=", "%24filter=", "%24select=", "%24top="})
      if (parameter.starts_with(name)) out.append(out.empty() ? "" : "&").append(parameter);
    if (with_token && parameter.starts_with("Next")) out.append(out.empty() ? "" : "&").append(parameter);
  }
  return out;
}

std::optional<Operation> parsed_operation(std::string_view method, std::string_view resource, std::string_view query,
                                          std::string_view if_match) {
  const auto parameters = QueryParameters::parse(query);
  if (!parameters) return std::nullopt;
  Headers headers;
  headers.add("Accept", "application/json");
  if (!if_match.empty()) headers.add("If-Match", if_match);
  try {
    return parse_operation({method, resource, *parameters, headers});
  } catch (const ServiceException&) {
    return std::nullopt;
  }
}

}  // namespace

bool is_of_table_service(const LogEntry& entry) {
  if (const auto service = entry[LogField::Service]; !service.empty()) return equals_ignoring_case(service, "table");
  if (const auto resource = entry[LogField::ResourceId]; !resource.empty())
    return contains_ignoring_case(resource, "/tableServices");
  const std::string_view url = entry[LogField::Url];
  return url.substr(0, url.size() - target_of_url(url).size()).find(".table.") != url.npos;
}

std::string bounded_name(std::string_view text) {
  const bool is_name = text.size() <= kMaxName && std::all_of(text.begin(), text.end(), [](unsigned char c) {
                         return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
                       });
  return is_name ? std::string(text) : "*";
}

std::string_view name_in_reports(std::string_view logged_operation) {
  const LoggedOperation* const found = find_logged_operation(logged_operation);
  return found == nullptr ? logged_operation : found->name_in_reports;
}

LogRequest::LogRequest(const LogEntry& entry) {
  event_.counts_entities = false;
  event_.target = target_of_url(entry[LogField::Url]);
  event_.user_agent = without_quotes(entry[LogField::UserAgent]);
  event_.client_request_id = without_quotes(entry[LogField::ClientRequestId]);
  key_.account = to_lower_ascii(bounded_name(entry[LogField::Account]));
  event_.account = key_.account;
  read_answer(entry);
  if (why_broken_.empty()) read_operation(entry);
}

void LogRequest::read_answer(const LogEntry& entry) {
  const auto time = time_of(entry[LogField::Time]);
  if (!time) {
    why_broken_ = "its time cannot be read";
    return;
  }
  event_.received = *time;
  event_.status = number_of<int>(entry[LogField::HttpStatus]).value_or(0);
  event_.is_billed = is_billed(entry[LogField::Status], event_.status);
  event_.body_bytes = number_of<std::size_t>(entry[LogField::ResponseBytes]).value_or(0);
  event_.duration = latency_of(entry);
}

void LogRequest::read_operation(const LogEntry& entry) {
  const LoggedOperation* const logged = find_logged_operation(entry[LogField::OperationName]);
  event_.method = logged == nullptr ? "" : logged->method;
  if (entry[LogField::Url].size() > kMaxUrl) return;
  const auto target = parse_target(entry[LogField::Url], {}, true, true);
  if (!target) return;
  if (key_.account.empty()) key_.account = bounded_name(target->account);
  event_.account = key_.account;
  if (logged == nullptr) return;
  const std::string_view if_match = if_match_of(logged->name, entry[LogField::Conditions]);
  operation_ = parsed_operation(logged->method, target->resource, target->query, if_match);
  for (const bool with_token : {true, false})
    if (!operation_)
      operation_ =
          parsed_operation(logged->method, target->resource, essential_query(target->query, with_token), if_match);
  if (!operation_) return;

  if (const auto plan_class = cloud_class_of(*operation_)) event_.plan_class = to_string(*plan_class);
  key_.table = to_lower_ascii(table_of(*operation_));
  key_.operation = row_of(*operation_).name;
  key_.plan_class = event_.plan_class;
  event_.key = &key_;
  event_.operation = &*operation_;
  event_.notes = &notes_;
  // The answer's token is not in the log. The request that continues tells that there was one.
  const auto* const query = std::get_if<QueryEntities>(&*operation_);
  event_.continues = query != nullptr && query->resumes.has_value();
  note_writes();
  if (table_of(*operation_).empty()) note_table(entry[LogField::ObjectKey]);
}

// The entity of a write that was done, as far as the URL has it. Its properties are not in the log.
void LogRequest::note_writes() {
  const auto* const write = std::get_if<WriteEntity>(&*operation_);
  if (write == nullptr || event_.status < 200 || event_.status > 299) return;
  notes_.partition_key = write->key.partition_key;
  notes_.writes.push_back({write->kind, write->key.row_key, write->condition, {}});
}

// `/myaccount/mytable`: the table of a request whose URL does not have it.
void LogRequest::note_table(std::string_view object_key) {
  const auto slash = object_key.find('/', 1);
  if (!object_key.starts_with('/') || slash == object_key.npos) return;
  const std::string_view table = object_key.substr(slash + 1);
  if (check_table_name(table)) notes_.table = table;
}

}  // namespace rocktable
