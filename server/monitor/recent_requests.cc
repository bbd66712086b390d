#include "server/monitor/recent_requests.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "server/events/masking.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxTarget = 2'048;
constexpr std::size_t kMaxText = 256;
constexpr std::size_t kMaxHeader = 1'024;
constexpr std::size_t kMaxHeaders = 50;
constexpr std::chrono::milliseconds kStep{100};

std::string dump(const nlohmann::json& document) {
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string beginning_of(std::string_view body, std::string_view content_type) {
  return masked_body(body.substr(0, RecentRequests::kMaxBody), content_type);
}

using HeaderList = std::vector<std::pair<std::string, std::string>>;

void add_masked(HeaderList& headers, std::string_view name, std::string_view value) {
  if (headers.size() == kMaxHeaders) return;
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

RecentRequests::Details RecentRequests::details_of(const RequestEvent& event) {
  Details out;
  for (const auto& [name, value] : event.request->headers.all()) add_masked(out.request_headers, name, value);
  if (event.request->body != nullptr)
    out.request_body = beginning_of(*event.request->body, event.request->headers.get("Content-Type"));
  out.response_headers = masked_headers(event.response->fields);
  out.response_body = beginning_of(event.response->body, content_type_of(out.response_headers));
  return out;
}

RecentRequests::Entry RecentRequests::entry_of(const RequestEvent& event, bool with_details) {
  Entry out{.number = 0,
            .received = event.received,
            .account = std::string(event.account.substr(0, kMaxText)),
            .table = event.key->table,
            .method = std::string(event.method.substr(0, kMaxText)),
            .target = without_signature(event.target.substr(0, kMaxTarget)),
            .request_id = std::string(event.request_id),
            .client_request_id = masked_text(event.client_request_id.substr(0, kMaxText)),
            .client = masked_text(event.user_agent.substr(0, kMaxText)),
            .fault = std::string(event.fault),
            .explanation = masked_text(event.explanation),
            .operation = event.key->operation,
            .plan_class = event.plan_class,
            .status = event.status,
            .error = event.error,
            .scanned = event.reads.entities_scanned,
            .returned = event.reads.entities_returned,
            .body_bytes = event.body_bytes,
            .duration = event.duration,
            .details = std::nullopt};
  if (with_details && event.request != nullptr && event.response != nullptr) out.details = details_of(event);
  return out;
}

// Room comes in steps, so that a flood shows as runs of requests with gaps between them, not as one gap after each request.
bool RecentRequests::has_room(Clock::time_point now) {
  const std::chrono::duration<double> passed = now - room_at_;
  if (passed >= kStep) {
    room_at_ = now;
    room_ = std::min(room_ + passed.count() * kMaxPerSecond, static_cast<double>(kMaxRequests));
  }
  if (room_ < 1) return false;
  room_ -= 1;
  return true;
}

void RecentRequests::record(const RequestEvent& event, Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (!is_on_ || event.key == nullptr) return;
  if (now - asked_ > kIdle) {
    is_on_ = false;
    entries_.clear();
    return;
  }
  const std::uint64_t number = next_++;
  if (!has_room(now)) return;
  entries_.push_back(entry_of(event, now - details_asked_ <= kIdle));
  entries_.back().number = number;
  if (entries_.size() > kMaxRequests) entries_.pop_front();
}

void RecentRequests::note_question(const WantedRequests& wanted, Clock::time_point now) {
  if (!is_on_ || now - asked_ > kIdle) {
    entries_.clear();
    ++next_;  // the requests that nobody asked for are missing
    room_ = kMaxRequests;
    room_at_ = now;
    details_asked_ = now - 2 * kIdle;
    is_on_ = true;
  }
  asked_ = now;
  if (wanted.details) details_asked_ = now;
}

nlohmann::json RecentRequests::since(std::optional<std::uint64_t> first, const WantedRequests& wanted) {
  return since(first, wanted, Clock::now());
}

nlohmann::json RecentRequests::since(std::optional<std::uint64_t> first, const WantedRequests& wanted,
                                     Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  note_question(wanted, now);
  auto requests = nlohmann::json::array();
  const std::uint64_t begin = first.value_or(next_);
  std::uint64_t kept = 0;
  for (const Entry& entry : entries_) {
    if (entry.number < begin) continue;
    ++kept;
    if (wanted.account.empty() || entry.account == wanted.account)
      requests.push_back(to_json(entry, wanted.details));
  }
  // A later number is that of an earlier run of the server.
  const bool is_complete = begin == next_ || (begin < next_ && kept == next_ - begin);
  return {{"next", next_}, {"isComplete", is_complete}, {"requests", std::move(requests)}};
}

std::vector<RecentRequests::Part> RecentRequests::take(std::uint64_t& next, std::size_t most,
                                                       const WantedRequests& wanted) {
  std::vector<Part> out;
  const std::lock_guard lock(mutex_);
  note_question(wanted, Clock::now());
  next = std::min(next, next_);  // the server may have started again
  const auto begin = std::ranges::lower_bound(entries_, next, {}, &Entry::number);
  for (auto entry = begin; entry != entries_.end(); ++entry) {
    if (out.size() == most) return out;
    const bool is_wanted = wanted.account.empty() || entry->account == wanted.account;
    const std::uint64_t missing = entry->number - next;
    next = entry->number + 1;
    if (is_wanted || missing > 0)
      out.push_back(
          {entry->number, missing, is_wanted ? dump(to_json(*entry, wanted.details)) : std::string()});
  }
  if (next < next_) out.push_back({next_ - 1, next_ - std::exchange(next, next_), std::string()});
  return out;
}

nlohmann::json RecentRequests::to_json(const Entry& entry, bool with_details) {
  nlohmann::json out{{"number", entry.number},
                     {"time", to_string(entry.received)},
                     {"account", entry.account},
                     {"table", entry.table},
                     {"operation", entry.operation},
                     {"method", entry.method},
                     {"target", entry.target},
                     {"status", entry.status},
                     {"code", entry.error ? nlohmann::json(to_string(*entry.error)) : nlohmann::json()},
                     {"plan", entry.plan_class},
                     {"entitiesScanned", entry.scanned},
                     {"entitiesReturned", entry.returned},
                     {"bytesSent", entry.body_bytes},
                     {"milliseconds", static_cast<double>(entry.duration.count()) / 1000},
                     {"client", entry.client},
                     {"clientRequestId", entry.client_request_id},
                     {"requestId", entry.request_id},
                     {"fault", entry.fault},
                     {"explanation", entry.explanation}};
  if (!with_details || !entry.details) return out;
  out["requestHeaders"] = json_of(entry.details->request_headers);
  out["requestBody"] = entry.details->request_body;
  out["responseHeaders"] = json_of(entry.details->response_headers);
  out["responseBody"] = entry.details->response_body;
  return out;
}

}  // namespace rocktable
