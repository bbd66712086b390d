#include "server/monitor/request_stream.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

constexpr std::size_t kMostAtOnce = 300;  // events, so that the client need not take many at once
constexpr std::chrono::seconds kCommentInterval{10};

}  // namespace

RequestStream::RequestStream(RecentRequests& requests, std::optional<std::uint64_t> first,
                             WantedRequests wanted)
    : requests_(requests), wanted_(std::move(wanted)), sent_(Clock::now()) {
  const std::uint64_t coming = requests_.since(std::nullopt, wanted_).at("next").get<std::uint64_t>();
  next_ = std::min(first.value_or(coming), coming);  // a later number is that of an earlier run of the server
  begin_ = "event: start\ndata: {\"next\": " + std::to_string(next_) + "}\n\n";
}

std::string RequestStream::next() {
  std::string out = std::exchange(begin_, {});
  for (const auto& part : requests_.take(next_, kMostAtOnce, wanted_)) {
    if (part.missing > 0) out += "event: gap\ndata: {\"missed\": " + std::to_string(part.missing) + "}\n\n";
    if (!part.json.empty())
      out += "id: " + std::to_string(part.number) + "\nevent: request\ndata: " + part.json + "\n\n";
  }
  const auto now = Clock::now();
  if (out.empty() && now - sent_ >= kCommentInterval) out = ": still here\n\n";
  if (!out.empty()) sent_ = now;
  return out;
}

}  // namespace rocktable
