// What the records of logs show about requests.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/date_time.h"
#include "server/insight/insight.h"
#include "server/logs/log_entry.h"
#include "server/logs/log_request.h"
#include "server/logs/recent_ids.h"

namespace rocktable {

class LogInsight {
 public:
  LogInsight() = default;

  // Returns why the record is broken; empty if it is not.
  std::string add(const LogEntry& entry);
  // A line or record that cannot be read. `place`: `logs/000001.log:17`.
  void add_broken(const std::string& place, std::string_view why);
  void add_lines(std::uint64_t count) { lines_ += count; }
  void add_file() { ++files_; }

  // Records that were understood, also those that are skipped.
  std::uint64_t understood() const { return understood_; }

  // The document of `GET /_rocktable/queries` (docs/control-api.md), with the member `logs`, and without members that
  // logs do not have: `minutes`, and in shapes the numbers of entities.
  nlohmann::json document() const;

 private:
  // Requests of one account and operation whose URL cannot be read.
  struct OtherRequests {
    std::uint64_t requests = 0, errors = 0, unbilled = 0, bytes_sent = 0;
    std::string example;
  };
  static constexpr std::size_t kMaxOthers = 1'000;  // further ones are counted as account and operation `*`

  bool is_duplicate(const LogEntry& entry);
  void add_other(const LogEntry& entry, const RequestEvent& event);
  void note_time(DateTime time);
  nlohmann::json logs_json() const;

  Insight insight_;
  RecentIds ids_;
  std::map<std::pair<std::string, std::string>, OtherRequests> others_;
  std::optional<DateTime> first_, last_;
  std::uint64_t files_ = 0, lines_ = 0, understood_ = 0, other_services_ = 0, duplicates_ = 0, further_operations_ = 0,
                without_shape_ = 0, broken_ = 0;
  std::string first_broken_;
};

}  // namespace rocktable
