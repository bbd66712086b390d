// One request as those who watch see it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/events/request_event.h"

namespace rocktable {

// Thread-safe. Signatures and tokens are masked. Its documents are rendered once, by whoever asks first, however many
// watch.
class KeptRequest {
 public:
  static constexpr std::size_t kMaxBody = 1'024;  // bytes of a body

  // `with_details`: also headers and the beginning of the bodies.
  KeptRequest(std::uint64_t number, const RequestEvent& event, bool with_details);

  std::uint64_t number() const { return number_; }
  const std::string& account() const { return account_; }

  // The memory that it takes, with its documents.
  std::size_t bytes() const { return bytes_; }

  // {"number": 42, "time": ..., "account": ..., ...} (docs/control-api.md), in one line.
  const std::string& json(bool with_details) const;

 private:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  struct Details {
    Headers request_headers, response_headers;
    std::string request_body, response_body;
  };
  struct Document {
    std::once_flag once;
    std::string text;
  };

  static Details details_of(const RequestEvent& event);
  nlohmann::json document(bool with_details) const;
  std::size_t count_bytes() const;

  std::uint64_t number_;
  DateTime received_;
  std::string account_, table_, method_, target_, request_id_, client_request_id_, client_, changed_by_, explanation_;
  std::string_view operation_, plan_class_;  // constants
  int status_;
  std::optional<ErrorCode> error_;
  std::uint64_t scanned_, returned_;
  std::size_t body_bytes_;
  std::chrono::microseconds duration_;
  std::optional<Details> details_;
  std::size_t bytes_ = 0;
  mutable Document short_, detailed_;
};

}  // namespace rocktable
