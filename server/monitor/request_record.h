// The bytes that are kept of a request: copied as they came, so that keeping costs little. They are read, and secrets
// masked, when somebody looks (kept_request.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "odata/error.h"
#include "server/events/request_event.h"
#include "server/request/operation_table.h"

namespace rocktable {

// How much is kept of each text; a longer one is cut.
struct RecordLimits {
  static constexpr std::size_t kTarget = 2'048;
  static constexpr std::size_t kHeaderBytes = 8 << 10;
  static constexpr std::size_t kFieldBytes = 4 << 10;  // of the response
  static constexpr std::size_t kText = 256;
  static constexpr std::size_t kLongText = 1'024;
  static constexpr std::size_t kRequestBody = 32 << 10;
  static constexpr std::size_t kResponseBody = 4 << 10;
};

// A record is this, and its texts without anything between them. Its size is a multiple of 8.
struct RequestRecord {
  enum Text : std::uint8_t {
    Head,  // the method, the target, `NAME: VALUE\r` of each header
    ResponseFields,
    RequestBody,
    ResponseBody,
    Account,
    Table,
    Fingerprint,
    ChangedBy,
    Explanation
  };
  static constexpr std::size_t kTexts = Explanation + 1;

  std::uint64_t number;
  DateTime received;
  std::uint64_t scanned, scanned_here, returned;  // entities: by the service, by rocktable
  std::uint64_t request_bytes, response_bytes;    // of the whole bodies
  std::string_view operation, plan_class;         // constants
  std::uint32_t size;                             // of the record
  std::uint32_t microseconds;                     // no request lasts an hour
  std::uint16_t status;
  std::uint16_t method_length, target_length;
  std::int16_t error;  // kNoError, or its number
  std::array<std::uint16_t, kTexts> lengths;

  static constexpr std::int16_t kNoError = -1;

  std::string_view text(Text which) const;
  std::string_view method() const { return text(Head).substr(0, method_length); }
  std::string_view target() const { return text(Head).substr(method_length, target_length); }
  std::optional<ErrorCode> error_code() const;

  // Calls `visit(name, value)` for each header of the request.
  template <class Visit>
  void for_each_header(Visit visit) const {
    for (std::string_view rest = text(Head).substr(method_length + target_length); !rest.empty();) {
      const auto end = std::min(rest.find('\r'), rest.size());
      const std::string_view line = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const auto colon = std::min(line.find(':'), line.size());
      visit(line.substr(0, colon), trim(line.substr(std::min(colon + 1, line.size()))));
    }
  }

  // The first value of that header; empty if there is none.
  std::string_view header(std::string_view name) const;
};

// What is kept of an event, which must outlive it.
class RecordSource {
 public:
  // `with_bodies`: also the beginnings of the bodies.
  [[gnu::always_inline]] RecordSource(const RequestEvent& event, bool with_bodies);

  // The size of the record.
  std::size_t size() const { return size_; }

  // Writes the record to memory for so many bytes, aligned as RequestRecord.
  [[gnu::always_inline]] void write(char* out, std::uint64_t number) const;

 private:
  static std::string_view beginning_of(std::string_view text, std::size_t limit) {
    return {text.data(), std::min(text.size(), limit)};
  }
  static std::string_view name_of(const RequestEvent& event);
  [[gnu::always_inline]] static char* put(char* out, std::string_view text);

  void cut_head();
  void write_rare(RequestRecord& record, char* out) const;

  const RequestEvent& event_;
  std::string_view head_ = "", more_of_head_;  // the second one only if something between them was left out
  std::size_t method_length_ = 0, target_length_ = 0;
  std::string_view fields_ = "", request_body_, response_body_, account_, table_, fingerprint_;
  std::size_t request_bytes_ = 0;
  bool has_more_ = false;  // what few requests have
  std::size_t size_;
};

// Upper bound of a record's size.
inline constexpr std::size_t kMaxRecordBytes = sizeof(RequestRecord) + RecordLimits::kTarget +
                                               RecordLimits::kHeaderBytes + RecordLimits::kFieldBytes +
                                               4 * RecordLimits::kText + 2 * RecordLimits::kLongText +
                                               RecordLimits::kRequestBody + RecordLimits::kResponseBody + 8;

// --- What each request costs: nothing of it is looked into -------------------------------------------------

inline std::string_view RecordSource::name_of(const RequestEvent& event) {
  const auto* const write = event.operation == nullptr ? nullptr : std::get_if<WriteEntity>(event.operation);
  return write == nullptr ? event.key->operation : name_of_write(write->kind, write->condition);
}

// Most texts are short, and a call of memcpy() costs more than these few instructions.
inline char* RecordSource::put(char* out, std::string_view text) {
  if (text.empty()) return out;
  if (text.size() <= 16) {
    const char* const end = text.data() + text.size();
    if (text.size() >= 8) {
      std::memcpy(out, text.data(), 8);
      std::memcpy(out + text.size() - 8, end - 8, 8);
    } else if (text.size() >= 4) {
      std::memcpy(out, text.data(), 4);
      std::memcpy(out + text.size() - 4, end - 4, 4);
    } else {
      out[0] = text.front();
      out[text.size() / 2] = text[text.size() / 2];
      out[text.size() - 1] = text.back();
    }
  } else {
    std::memcpy(out, text.data(), text.size());
  }
  return out + text.size();
}

// Views are made and sizes added up.
inline RecordSource::RecordSource(const RequestEvent& event, bool with_bodies) : event_(event) {
  using Limits = RecordLimits;
  if (const Request* const request = event.request) {
    if (request->body != nullptr) {
      request_bytes_ = request->body->size();
      if (with_bodies) request_body_ = beginning_of(*request->body, Limits::kRequestBody);
    }
    head_ = request->head;
    method_length_ = request->method.size();
    target_length_ = request->target.size();
    if (head_.size() > RecordLimits::kTarget || head_.empty()) cut_head();
  }
  if (const Response* const response = event.response) {
    fields_ = beginning_of(response->fields, Limits::kFieldBytes);
    if (with_bodies) response_body_ = beginning_of(response->body, Limits::kResponseBody);
  }
  account_ = beginning_of(event.account, Limits::kText);
  const bool is_noted = event.notes != nullptr && !event.notes->table.empty();
  table_ = beginning_of(is_noted ? event.notes->table : event.key->table, Limits::kText);
  std::size_t size = sizeof(RequestRecord) + head_.size() + more_of_head_.size() + fields_.size() +
                     request_body_.size() + response_body_.size() + account_.size() + table_.size();
  if (const auto* const query = event.operation ? std::get_if<QueryEntities>(event.operation) : nullptr)
    fingerprint_ = beginning_of(query->shape, Limits::kLongText);
  has_more_ = (fingerprint_.size() | event.changed_by.size() | event.explanation.size()) != 0;
  if (has_more_)
    size += fingerprint_.size() + std::min(event.changed_by.size(), Limits::kText) +
            std::min(event.explanation.size(), Limits::kLongText);
  size_ = (size + alignof(RequestRecord) - 1) / alignof(RequestRecord) * alignof(RequestRecord);
}

inline void RecordSource::write(char* out, std::uint64_t number) const {
  const auto length = [](std::string_view text) { return static_cast<std::uint16_t>(text.size()); };
  auto* const record = new (out) RequestRecord{
      .number = number,
      .received = event_.received,
      .scanned = event_.scanned_in_cloud,
      .scanned_here = event_.reads.entities_scanned,
      .returned = event_.reads.entities_returned,
      .request_bytes = request_bytes_,
      .response_bytes = event_.body_bytes,
      .operation = name_of(event_),
      .plan_class = event_.plan_class,
      .size = static_cast<std::uint32_t>(size_),
      .microseconds = static_cast<std::uint32_t>(event_.duration.count()),
      .status = static_cast<std::uint16_t>(event_.status),
      .method_length = static_cast<std::uint16_t>(method_length_),
      .target_length = static_cast<std::uint16_t>(target_length_),
      .error = event_.error ? static_cast<std::int16_t>(*event_.error) : RequestRecord::kNoError,
      .lengths = {static_cast<std::uint16_t>(head_.size() + more_of_head_.size()), length(fields_),
                  length(request_body_), length(response_body_), length(account_), length(table_), 0, 0, 0}};
  char* end = out + sizeof(RequestRecord);
  const auto copy = [&end](std::string_view text) {
    std::memcpy(end, text.data(), text.size());
    end += text.size();
  };
  copy(head_);
  if (!more_of_head_.empty()) copy(more_of_head_);
  copy(fields_);
  if (!request_body_.empty()) copy(request_body_);
  if (!response_body_.empty()) copy(response_body_);
  end = put(put(end, account_), table_);
  if (has_more_) write_rare(*record, end);
}

}  // namespace rocktable
