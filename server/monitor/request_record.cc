#include "server/monitor/request_record.h"

#include <numeric>

namespace rocktable {

std::string_view RequestRecord::text(Text which) const {
  const auto begin = std::accumulate(lengths.begin(), lengths.begin() + which, sizeof(RequestRecord));
  return {reinterpret_cast<const char*>(this) + begin, lengths[which]};
}

std::optional<ErrorCode> RequestRecord::error_code() const {
  if (error == kNoError) return std::nullopt;
  return static_cast<ErrorCode>(error);
}

std::string_view RequestRecord::header(std::string_view name) const {
  std::string_view out;
  for_each_header([&](std::string_view one, std::string_view value) {
    if (out.empty() && equals_ignoring_case(one, name)) out = value;
  });
  return out;
}

// The head of nearly all requests is kept as it is. Of a long one, target and headers are cut.
void RecordSource::cut_head() {
  const std::string_view head = head_;
  const std::size_t method = method_length_, target_end = method + target_length_;
  if (head.empty()) {
    head_ = "";  // never a null pointer
    method_length_ = target_length_ = 0;
    return;
  }
  if (method <= RecordLimits::kText && target_length_ <= RecordLimits::kTarget &&
      head.size() - target_end <= RecordLimits::kHeaderBytes)
    return;
  method_length_ = std::min(method, RecordLimits::kText);
  target_length_ = method > method_length_ ? 0 : std::min(target_length_, RecordLimits::kTarget);
  head_ = head.substr(0, method_length_ + target_length_);
  more_of_head_ = head.substr(target_end);
  if (more_of_head_.size() > RecordLimits::kHeaderBytes)
    more_of_head_ = more_of_head_.substr(0, more_of_head_.rfind('\r', RecordLimits::kHeaderBytes - 1) + 1);
}

void RecordSource::write_rare(RequestRecord& record, char* out) const {
  const std::string_view rare[] = {fingerprint_, beginning_of(event_.changed_by, RecordLimits::kText),
                                   beginning_of(event_.explanation, RecordLimits::kLongText)};
  for (std::size_t i = 0; i < 3; ++i) {
    record.lengths[RequestRecord::Fingerprint + i] = static_cast<std::uint16_t>(rare[i].size());
    out = put(out, rare[i]);
  }
}

}  // namespace rocktable
