#include "server/monitor/kept_request.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "odata/insight/folded_table.h"
#include "server/events/masking.h"
#include "server/monitor/batch_operations.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxHeader = 1'024;
constexpr std::size_t kMaxHeaders = 100;      // their number
constexpr std::size_t kNamesBytes = 500;      // of the names of the members
constexpr std::size_t kFirstOperations = 10;  // of a batch, in the short document
constexpr std::size_t kMaxKey = 1'024;

using HeaderList = std::vector<std::pair<std::string, std::string>>;

void add_masked(HeaderList& headers, std::string_view name, std::string_view value) {
  if (headers.size() == kMaxHeaders) return;
  headers.emplace_back(name.substr(0, RecordLimits::kText), masked_header(name, value.substr(0, kMaxHeader)));
}

HeaderList request_headers_of(const RequestRecord& record) {
  HeaderList out;
  record.for_each_header([&](std::string_view name, std::string_view value) { add_masked(out, name, value); });
  return out;
}

// Of header lines, each with its CRLF. One that was cut is left out.
HeaderList response_headers_of(const RequestRecord& record) {
  HeaderList out;
  std::string_view lines = record.text(RequestRecord::ResponseFields);
  while (!lines.empty()) {
    const auto end = lines.find("\r\n");
    if (end == lines.npos) break;
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 2);
    const auto colon = line.find(": ");
    if (colon != line.npos) add_masked(out, line.substr(0, colon), line.substr(colon + 2));
  }
  return out;
}

std::string_view value_of(const HeaderList& headers, std::string_view name) {
  const auto found =
      std::ranges::find_if(headers, [&](const auto& one) { return equals_ignoring_case(one.first, name); });
  return found == headers.end() ? std::string_view() : found->second;
}

// The service's id of a request is in its answer.
std::string request_id_of(const HeaderList& response_headers) {
  return std::string(value_of(response_headers, "x-ms-request-id"));
}

nlohmann::json json_of(const HeaderList& headers) {
  auto out = nlohmann::json::array();
  for (const auto& [name, value] : headers) out.push_back(nlohmann::json::array({name, value}));
  return out;
}

nlohmann::json json_of(const BatchOperation& operation) {
  nlohmann::json out{{"method", operation.method}, {"target", operation.target}};
  if (operation.partition) out["partitionKey"] = masked_text(operation.partition->substr(0, kMaxKey));
  if (operation.row) out["rowKey"] = masked_text(operation.row->substr(0, kMaxKey));
  if (operation.status != 0) out["status"] = operation.status;
  return out;
}

void add_operations(const RequestRecord& record, bool with_details, nlohmann::json& out) {
  const auto operations =
      batch_operations(record.text(RequestRecord::RequestBody), record.text(RequestRecord::ResponseBody));
  const bool is_whole = record.text(RequestRecord::RequestBody).size() == record.request_bytes;
  auto& list = out["operations"] = nlohmann::json::array();
  const std::size_t shown = with_details ? operations.size() : std::min(operations.size(), kFirstOperations);
  for (std::size_t i = 0; i < shown; ++i) list.push_back(json_of(operations[i]));
  if (is_whole) out["operationCount"] = operations.size();
}

void add_inserted_keys(const RequestRecord& record, nlohmann::json& out) {
  std::optional<std::string> partition, row;
  read_keys(record.text(RequestRecord::RequestBody), partition, row);
  if (partition) out["partitionKey"] = masked_text(partition->substr(0, kMaxKey));
  if (row) out["rowKey"] = masked_text(row->substr(0, kMaxKey));
}

nlohmann::json document_of(const RequestRecord& record, bool with_details) {
  using Record = RequestRecord;
  const auto error = record.error_code();
  const HeaderList response_headers = response_headers_of(record);
  const auto text = [&](std::string_view one) { return masked_text(one.substr(0, RecordLimits::kText)); };
  nlohmann::json out{{"number", record.number},
                     {"time", to_string(record.received)},
                     {"account", record.text(Record::Account)},
                     {"table", to_lower_ascii(record.text(Record::Table))},
                     {"shapeTable", folded_table(record.text(Record::Table))},
                     {"operation", record.operation},
                     {"method", record.method()},
                     {"target", without_signature(record.target())},
                     {"status", record.status},
                     {"code", error ? nlohmann::json(to_string(*error)) : nlohmann::json()},
                     {"plan", record.plan_class},
                     {"fingerprint", record.text(Record::Fingerprint)},
                     {"entitiesScanned", record.scanned},
                     {"entitiesScannedHere", record.scanned_here},
                     {"entitiesReturned", record.returned},
                     {"bytesReceived", record.request_bytes},
                     {"bytesSent", record.response_bytes},
                     {"milliseconds", static_cast<double>(record.microseconds) / 1000},
                     {"client", text(record.header("User-Agent"))},
                     {"clientRequestId", text(record.header("x-ms-client-request-id"))},
                     {"requestId", request_id_of(response_headers)},
                     {"fault", record.text(Record::ChangedBy)},
                     {"explanation", masked_text(record.text(Record::Explanation))}};
  const bool has_body = !record.text(Record::RequestBody).empty();
  if (has_body && record.operation == "Batch") add_operations(record, with_details, out);
  if (has_body && record.operation == "InsertEntity") add_inserted_keys(record, out);
  if (!with_details) return out;
  const HeaderList request_headers = request_headers_of(record);
  const auto type = [](const HeaderList& headers) { return value_of(headers, "Content-Type"); };
  out["requestHeaders"] = json_of(request_headers);
  out["requestBody"] = masked_body(record.text(Record::RequestBody), type(request_headers));
  out["responseHeaders"] = json_of(response_headers);
  out["responseBody"] = masked_body(record.text(Record::ResponseBody), type(response_headers));
  return out;
}

}  // namespace

// The text of a record is in it once, and in each document, where quotes take two bytes.
KeptRequest::KeptRequest(const RequestRecord& record)
    : bytes_of_record_(std::make_unique_for_overwrite<char[]>(record.size)),
      bytes_(sizeof(KeptRequest) + record.size + 2 * kNamesBytes + 2 * record.size) {
  std::memcpy(bytes_of_record_.get(), &record, record.size);
}

const std::string& KeptRequest::json(bool with_details) const {
  Document& out = with_details ? detailed_ : short_;
  std::call_once(out.once, [&] {
    out.text = document_of(record(), with_details).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  return out.text;
}

}  // namespace rocktable
