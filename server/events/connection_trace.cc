#include "server/events/connection_trace.h"

#include <algorithm>
#include <utility>

#include "server/limits/memory_budget.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxMethod = 1'000;

std::chrono::microseconds between(ConnectionTrace::Clock::time_point from, ConnectionTrace::Clock::time_point to) {
  return std::chrono::duration_cast<std::chrono::microseconds>(to - from);
}

// Rebuilds the head as sent, except white space, with at most `limit` bytes of target and `limit` bytes of
// headers.
std::string head_of(const Request& request, bool http_1_0, std::size_t limit) {
  std::string out(request.method.substr(0, kMaxMethod));
  out.append(" ").append(request.target.substr(0, limit)).append(http_1_0 ? " HTTP/1.0\r\n" : " HTTP/1.1\r\n");
  const std::size_t end = out.size() + limit;
  for (const auto& [name, value] : request.headers.all()) {
    if (out.size() + name.size() + value.size() > end) break;
    out.append(name).append(": ").append(value).append("\r\n");
  }
  return out;
}

void add_sentence(std::string& comment, std::string_view sentence) {
  if (!comment.empty()) comment += "; ";
  comment += sentence;
}

}  // namespace

void ConnectionTrace::begin_now() {
  started_ = whole_ = Clock::now();
  started_at_ = std::chrono::system_clock::now();
}

void ConnectionTrace::keep_head(const Request& request, bool http_1_0) {
  head_ = head_of(request, http_1_0, kFreeBytes);
}

void ConnectionTrace::keep_outcome(const RequestEvent& event) {
  request_id_ = event.request_id;
  plan_class_ = event.plan_class;
  explanation_ = event.explanation;
  entities_scanned_ = event.scanned_in_cloud;
  entities_scanned_here_ = event.reads.entities_scanned;
  entities_returned_ = event.reads.entities_returned;
}

void ConnectionTrace::complete(const Request& request, std::size_t body_bytes, bool http_1_0) {
  whole_ = Clock::now();
  request_ = &request;
  body_bytes_ = body_bytes;
  http_1_0_ = http_1_0;
}

void ConnectionTrace::fail(const Request& request, std::size_t body_bytes, bool http_1_0, std::string_view unread,
                           std::string comment) {
  if (!started_) return;
  complete(request, body_bytes, http_1_0);
  if (head_.empty() && !request.method.empty()) head_ = head_of(request, http_1_0, kMaxTracedBytes);
  head_ += unread.substr(0, kMaxTracedBytes);
  comment_ = std::move(comment);
}

void ConnectionTrace::end_with_response(std::string_view bytes, std::string_view body, std::optional<ErrorCode> error,
                                        Clock::time_point since, bool written) {
  constexpr std::string_view kEndOfHead = "\r\n\r\n";
  begin();  // the request was refused before a byte was read
  TracedExchange exchange;
  exchange.working = between(whole_, since);
  exchange.sending = between(since, Clock::now());
  exchange.response_head = bytes.substr(0, std::min(bytes.find(kEndOfHead), bytes.size()) + kEndOfHead.size());
  exchange.response_body = body;
  exchange.response_body_bytes = body.size();
  if (error) exchange.error_code = to_string(*error);
  if (!written) add_sentence(comment_, "the client closed the connection before it received the whole response");
  write(exchange);
}

void ConnectionTrace::end_without_response(std::string comment) {
  if (!started_) return;
  if (!comment.empty()) comment_ = std::move(comment);
  TracedExchange exchange;
  exchange.working = between(whole_, Clock::now());
  write(exchange);
}

void ConnectionTrace::write(TracedExchange& exchange) {
  const bool is_kept = !head_.empty();
  const bool is_cut = !is_kept && request_ != nullptr && request_->target.size() > kMaxTracedBytes;
  if (!is_kept && request_ != nullptr) head_ = head_of(*request_, http_1_0_, kMaxTracedBytes);
  if (is_cut) add_sentence(comment_, "the URL is truncated");
  exchange.started = started_at_;
  exchange.receiving = between(*started_, whole_);
  exchange.scheme = is_secure_ ? "https" : "http";
  exchange.server_address = addresses_.server_address;
  exchange.server_port = addresses_.server_port;
  exchange.client_address = addresses_.client_address;
  exchange.connection = connection_;
  exchange.request_head = head_;
  if (request_ != nullptr && request_->body != nullptr) exchange.request_body = *request_->body;
  exchange.request_body_bytes = body_bytes_;
  exchange.request_id = request_id_;
  exchange.plan_class = plan_class_;
  exchange.entities_scanned = entities_scanned_;
  exchange.entities_scanned_here = entities_scanned_here_;
  exchange.entities_returned = entities_returned_;
  exchange.explanation = explanation_;
  exchange.comment = comment_;
  trace_.write(exchange);

  started_.reset();
  request_ = nullptr;
  body_bytes_ = 0;
  entities_scanned_ = entities_scanned_here_ = entities_returned_ = 0;
  for (std::string* text : {&head_, &request_id_, &plan_class_, &explanation_, &comment_}) std::string().swap(*text);
}

}  // namespace rocktable
