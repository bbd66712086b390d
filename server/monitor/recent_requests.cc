#include "server/monitor/recent_requests.h"

#include <algorithm>
#include <mutex>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr int kFirstRefusedStatus = 400;

bool is_found(const KeptRequest& request, const std::string& text) {
  return text.empty() || to_lower_ascii(request.json(true)).find(text) != std::string::npos;
}

}  // namespace

RecentRequests::RecentRequests(KeepOptions options)
    : options_(options),
      ring_(options.bytes == 0 ? nullptr : std::make_unique<RequestRing>(options.bytes)),
      wants_explanation_(is_on()) {}

void RecentRequests::record(const RequestEvent& event) {
  if (event.key == nullptr || !is_on()) return;
  ring_->add(event, options_.bodies);
  if (event.status >= kFirstRefusedStatus) note_refusal(Clock::now());
}

// Two refusals at the border of a second may count as one: the limit need not be exact.
void RecentRequests::note_refusal(Clock::time_point now) {
  const auto second = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
  if (second_.exchange(second, std::memory_order_relaxed) != second) refusals_.store(0, std::memory_order_relaxed);
  const int refusals = refusals_.fetch_add(1, std::memory_order_relaxed) + 1;
  wants_explanation_.store(refusals < kExplanationsPerSecond, std::memory_order_relaxed);
}

std::uint64_t RecentRequests::next() const { return is_on() ? ring_->next() : 1; }

std::string RecentRequests::since(std::optional<std::uint64_t> first, const WantedRequests& wanted,
                                  std::size_t limit) const {
  RequestRing::Kept kept{.oldest = 1, .next = next(), .records = {}, .segments = {}};
  if (first && is_on()) kept = ring_->since(*first);
  // A later number is that of an earlier run of the server.
  const bool is_later = first > kept.next;
  const std::uint64_t missing = first && *first < kept.oldest ? kept.oldest - *first : 0;
  const std::string text = to_lower_ascii(wanted.text);
  std::string requests;
  std::uint64_t next = kept.next;
  for (std::size_t count = 0; const RequestRecord* record : kept.records) {
    if (count == limit || requests.size() > kMaxAnswerBytes) {
      next = record->number;
      break;
    }
    if (!wanted.accepts(*record)) continue;
    const KeptRequest request(*record);
    if (!is_found(request, text)) continue;
    if (count++ > 0) requests += ',';
    requests += request.json(wanted.details);
  }
  const bool more = next < kept.next;
  const auto word = [](bool is) { return is ? "true" : "false"; };
  std::string out = R"({"isComplete":)";
  out.append(word(missing == 0 && !more && !is_later)).append(R"(,"missing":)").append(std::to_string(missing));
  out.append(R"(,"more":)").append(word(more)).append(R"(,"next":)").append(std::to_string(next));
  return out.append(R"(,"requests":[)").append(requests).append("]}");
}

std::shared_ptr<RequestWindow> RecentRequests::watch() {
  const std::lock_guard lock(window_mutex_);
  auto out = window_.lock();
  if (!out && is_on()) window_ = out = std::make_shared<RequestWindow>(*ring_);
  return out;
}

void RecentRequests::clear() {
  if (!is_on()) return;
  ring_->clear();
  const std::lock_guard lock(window_mutex_);
  window_.reset();  // it may have some; who watches already keeps it
}

}  // namespace rocktable
