// Rows of StorageTableLogs as comma-separated values, as the portal exports them: a line with the names of columns,
// then rows with fields as in RFC 4180.
//
// Source: learn.microsoft.com/azure/azure-monitor/logs/log-analytics-tutorial (export of results)
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "server/logs/log_entry.h"

namespace rocktable {

class LogCsv {
 public:
  static constexpr std::size_t kMaxRow = 1 << 20;  // bytes

  // Whether a line has the names of columns that a row needs.
  static bool is_header(std::string_view line);

  // A file may have several headers: that of a further export.
  void set_header(std::string_view line);
  bool has_header() const { return !columns_.empty(); }
  void forget_header();

  enum class Outcome { Row, Broken, Continues };

  // Reads the next line. Row: `out` has its texts, valid until the next call. Continues: a field has a line feed.
  Outcome read(std::string_view line, LogEntry& out, std::string& why);
  // Whether the last line was a part of a row.
  bool is_within_row() const { return is_within_quotes_; }

 private:
  // Splits row_ into fields_, views of it. Returns false if a quote does not end.
  bool split();

  std::vector<LogField> columns_;
  std::string row_;  // its lines so far
  bool is_within_quotes_ = false;
  std::string decoded_;  // fields that had quotes
  std::vector<std::string_view> fields_;
};

}  // namespace rocktable
