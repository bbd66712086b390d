#include "server/logs/log_csv.h"

#include <algorithm>

namespace rocktable {
namespace {

bool has_field(const std::vector<LogField>& columns, LogField field) {
  return std::find(columns.begin(), columns.end(), field) != columns.end();
}

}  // namespace

bool LogCsv::is_header(std::string_view line) {
  if (line.find("OperationName") == line.npos) return false;  // most lines
  LogCsv csv;
  csv.set_header(line);
  return has_field(csv.columns_, LogField::OperationName) && has_field(csv.columns_, LogField::Url);
}

void LogCsv::set_header(std::string_view line) {
  forget_header();
  row_ = line;
  if (!split()) return;
  for (const std::string_view name : fields_) columns_.push_back(log_field_named(name));
}

void LogCsv::forget_header() {
  columns_.clear();
  is_within_quotes_ = false;
}

LogCsv::Outcome LogCsv::read(std::string_view line, LogEntry& out, std::string& why) {
  if (is_within_quotes_) {
    row_.append("\n").append(line);
  } else {
    row_ = line;
  }
  // Each quote changes the state, also the two of a doubled one.
  is_within_quotes_ = is_within_quotes_ != (std::count(line.begin(), line.end(), '"') % 2 != 0);
  const auto end_with = [&](std::string reason) {
    is_within_quotes_ = false;
    why = std::move(reason);
    return Outcome::Broken;
  };
  if (is_within_quotes_) return row_.size() > kMaxRow ? end_with("a quote does not end") : Outcome::Continues;
  if (!split()) return end_with("a quote does not end");
  if (fields_.size() != columns_.size())
    return end_with("it has " + std::to_string(fields_.size()) + " fields, and the header has " +
                    std::to_string(columns_.size()));
  out.clear();
  for (std::size_t i = 0; i < fields_.size(); ++i) out.set(columns_[i], fields_[i]);
  return out[LogField::OperationName].empty() ? end_with("it has no OperationName") : Outcome::Row;
}

bool LogCsv::split() {
  fields_.clear();
  decoded_.clear();
  decoded_.reserve(row_.size());
  std::string_view rest = row_;
  for (;;) {
    if (!rest.starts_with('"')) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      fields_.push_back(rest.substr(0, end));
      rest.remove_prefix(end);
    } else {
      const std::size_t begin = decoded_.size();
      rest.remove_prefix(1);
      for (;;) {
        const std::size_t quote = rest.find('"');
        if (quote == rest.npos) return false;
        decoded_ += rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!rest.starts_with('"')) break;
        decoded_ += '"';
        rest.remove_prefix(1);
      }
      fields_.push_back(std::string_view(decoded_).substr(begin));
      rest = rest.substr(std::min(rest.find(','), rest.size()));  // nothing is between a quote and a comma
    }
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

}  // namespace rocktable
