#include "server/monitor/request_stream.h"

#include <algorithm>

namespace rocktable {
namespace {

// So that the client need not take much at once, and one that does not read holds little.
constexpr std::size_t kMaxAtOnce = 300;             // events
constexpr std::size_t kMaxBytesAtOnce = 128 << 10;  // of a flood, more than the window takes in
constexpr std::chrono::seconds kCommentInterval{10};

}  // namespace

RequestStream::RequestStream(RecentRequests& requests, std::optional<std::uint64_t> first, WantedRequests wanted)
    : window_(requests.watch()), wanted_(std::move(wanted)), sent_(Clock::now()) {
  const std::uint64_t coming = requests.next();
  next_ = std::min(first.value_or(coming), coming);  // a later number is that of an earlier run of the server
  begin_ = "event: start\ndata: {\"next\": " + std::to_string(next_) + "}\n\n";
}

std::string RequestStream::next() {
  std::string out = std::exchange(begin_, {});
  for (const auto& part : window_->take(next_, kMaxAtOnce, wanted_)) {
    if (out.size() > kMaxBytesAtOnce && part.request != nullptr) {
      next_ = part.number - part.missing;
      break;
    }
    if (part.missing > 0) out += "event: gap\ndata: {\"missed\": " + std::to_string(part.missing) + "}\n\n";
    if (part.request == nullptr) continue;
    out.append("id: ").append(std::to_string(part.number)).append("\nevent: request\ndata: ");
    out.append(part.request->json(wanted_.details)).append("\n\n");
  }
  const auto now = Clock::now();
  if (out.empty() && now - sent_ >= kCommentInterval) out = ": still here\n\n";
  if (!out.empty()) sent_ = now;
  return out;
}

}  // namespace rocktable
