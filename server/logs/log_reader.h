// Reads the lines of a file of logs, in whichever of the known formats each is.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "server/logs/json_records.h"
#include "server/logs/log_csv.h"
#include "server/logs/log_entry.h"
#include "server/logs/resource_log.h"

namespace rocktable {

class LogReader {
 public:
  struct Sink {
    std::function<void(const LogEntry& entry)> entry;  // valid during the call
    std::function<void(std::string_view why)> broken;  // a line or a record: "it has 12 fields of 30"
  };

  explicit LogReader(Sink sink);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // The next line, without its line feed. Any bytes; blank lines are ignored.
  void add_line(std::string_view line);
  // At the end of the file. Then the next file may begin.
  void finish();

 private:
  void add_row(std::string_view line);

  Sink sink_;
  LogEntry entry_;
  std::string decoded_;  // texts of the entry
  ResourceLogReader resource_logs_;
  JsonRecords json_;
  LogCsv csv_;
};

}  // namespace rocktable
