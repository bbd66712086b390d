// A record of a log as the event that a server makes of a request, so that both are observed by the same code.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "server/events/request_event.h"
#include "server/logs/log_entry.h"
#include "server/request/operation.h"
#include "server/request/request_notes.h"

namespace rocktable {

// Whether the record is of the table service, as it says itself or its URL does.
bool is_of_table_service(const LogEntry& entry);

// The text, or `*` if it is longer than a name, or has other characters than letters and digits.
std::string bounded_name(std::string_view text);

// The name of an operation in reports: QueryEntity is `GetEntity`, EntityGroupTransaction `Batch`. Others are the
// same.
std::string_view name_in_reports(std::string_view logged_operation);

// The texts of the entry must outlive this object.
class LogRequest {
 public:
  explicit LogRequest(const LogEntry& entry);
  LogRequest(const LogRequest&) = delete;
  LogRequest& operator=(const LogRequest&) = delete;

  // What is known of any record. Without operation if the URL cannot be read, or the operation is none of those that
  // reports have.
  const RequestEvent& event() const { return event_; }

  // Why the record is broken; empty if it is not.
  const std::string& why_broken() const { return why_broken_; }

 private:
  void read_answer(const LogEntry& entry);
  void read_operation(const LogEntry& entry);
  void note_writes();
  void note_table(std::string_view object_key);

  RequestEvent event_;
  StatisticsKey key_;
  RequestNotes notes_;
  std::optional<Operation> operation_;
  std::string why_broken_;
};

}  // namespace rocktable
