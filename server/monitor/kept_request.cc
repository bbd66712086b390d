#include "server/monitor/kept_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxTarget = 2'048;
constexpr std::size_t kMaxText = 256;
constexpr std::size_t kMaxHeader = 1'024;
constexpr std::size_t kMaxHeaders = 50;
constexpr std::size_t kMaxHeaderBytes = 8 << 10;  // of all headers of one message
constexpr std::size_t kNamesBytes = 500;          // of the names of the members

using HeaderList = std::vector<std::pair<std::string, std::string>>;

std::string beginning_of(std::string_view body, std::string_view content_type) {
  return masked_body(body.substr(0, KeptRequest::kMaxBody), content_type);
}

std::size_t size_of(const HeaderList& headers) {
  std::size_t out = 0;
  for (const auto& [name, value] : headers) out += name.size() + value.size();
  return out;
}

void add_masked(HeaderList& headers, std::string_view name, std::string_view value) {
  if (headers.size() == kMaxHeaders || size_of(headers) >= kMaxHeaderBytes) return;
  headers.emplace_back(name.substr(0, kMaxText), masked_header(name, value.substr(0, kMaxHeader)));
}

// Of header lines, each with its CRLF.
HeaderList masked_headers(std::string_view lines) {
  HeaderList out;
  while (!lines.empty()) {
    const std::string_view line = lines.substr(0, lines.find("\r\n"));
    lines.remove_prefix(std::min(line.size() + 2, lines.size()));
    const auto colon = line.find(": ");
    if (colon != line.npos) add_masked(out, line.substr(0, colon), line.substr(colon + 2));
  }
  return out;
}

std::string_view content_type_of(const HeaderList& headers) {
  const auto found = std::ranges::find(headers, "Content-Type", &HeaderList::value_type::first);
  return found == headers.end() ? std::string_view() : found->second;
}

nlohmann::json json_of(const HeaderList& headers) {
  auto out = nlohmann::json::array();
  for (const auto& [name, value] : headers) out.push_back(nlohmann::json::array({name, value}));
  return out;
}

}  // namespace

KeptRequest::KeptRequest(std::uint64_t number, const RequestEvent& event, bool with_details)
    : number_(number),
      received_(event.received),
      account_(event.account.substr(0, kMaxText)),
      table_(event.key->table.substr(0, kMaxText)),
      method_(event.method.substr(0, kMaxText)),
      target_(without_signature(event.target.substr(0, kMaxTarget))),
      request_id_(event.request_id),
      client_request_id_(masked_text(event.client_request_id.substr(0, kMaxText))),
      client_(masked_text(event.user_agent.substr(0, kMaxText))),
      changed_by_(event.changed_by),
      explanation_(masked_text(event.explanation)),
      operation_(event.key->operation),
      plan_class_(event.plan_class),
      status_(event.status),
      error_(event.error),
      scanned_(event.reads.entities_scanned),
      returned_(event.reads.entities_returned),
      body_bytes_(event.body_bytes),
      duration_(event.duration) {
  if (with_details && event.request != nullptr && event.response != nullptr) details_ = details_of(event);
  bytes_ = count_bytes();
}

KeptRequest::Details KeptRequest::details_of(const RequestEvent& event) {
  Details out;
  for (const auto& [name, value] : event.request->headers.all()) add_masked(out.request_headers, name, value);
  if (event.request->body != nullptr)
    out.request_body = beginning_of(*event.request->body, event.request->headers.get("Content-Type"));
  out.response_headers = masked_headers(event.response->fields);
  out.response_body = beginning_of(event.response->body, content_type_of(out.response_headers));
  return out;
}

// A text is held once as it is, and once in each document.
std::size_t KeptRequest::count_bytes() const {
  std::size_t fields = 0, details = 0;
  for (const std::string* const text : {&account_, &table_, &method_, &target_, &request_id_, &client_request_id_,
                                        &client_, &changed_by_, &explanation_})
    fields += text->size();
  if (details_)
    details = size_of(details_->request_headers) + size_of(details_->response_headers) + details_->request_body.size() +
              details_->response_body.size() + kNamesBytes;
  return sizeof(KeptRequest) + 3 * fields + 2 * kNamesBytes + 2 * details;
}

const std::string& KeptRequest::json(bool with_details) const {
  Document& out = with_details && details_ ? detailed_ : short_;
  std::call_once(out.once, [&] {
    out.text = document(with_details).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  return out.text;
}

nlohmann::json KeptRequest::document(bool with_details) const {
  nlohmann::json out{{"number", number_},
                     {"time", to_string(received_)},
                     {"account", account_},
                     {"table", table_},
                     {"operation", operation_},
                     {"method", method_},
                     {"target", target_},
                     {"status", status_},
                     {"code", error_ ? nlohmann::json(to_string(*error_)) : nlohmann::json()},
                     {"plan", plan_class_},
                     {"entitiesScanned", scanned_},
                     {"entitiesReturned", returned_},
                     {"bytesSent", body_bytes_},
                     {"milliseconds", static_cast<double>(duration_.count()) / 1000},
                     {"client", client_},
                     {"clientRequestId", client_request_id_},
                     {"requestId", request_id_},
                     {"fault", changed_by_},
                     {"explanation", explanation_}};
  if (!with_details || !details_) return out;
  out["requestHeaders"] = json_of(details_->request_headers);
  out["requestBody"] = details_->request_body;
  out["responseHeaders"] = json_of(details_->response_headers);
  out["responseBody"] = details_->response_body;
  return out;
}

}  // namespace rocktable
