#include "server/logs/log_reader.h"

#include "base/text.h"
#include "server/logs/storage_analytics.h"

namespace rocktable {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

LogReader::LogReader(Sink sink)
    : sink_(std::move(sink)),
      json_({.record =
                 [this](std::string_view record) {
                   const std::string why = resource_logs_.read(record, entry_);
                   if (why.empty()) return sink_.entry(entry_);
                   sink_.broken(why);
                 },
             .broken = [this](const char* why) { sink_.broken(why); }}) {}

void LogReader::add_line(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (line.starts_with(kByteOrderMark)) line.remove_prefix(kByteOrderMark.size());  // of files that were joined
  if (csv_.is_within_row()) return add_row(line);
  const std::string_view text = trim(line);
  if (text.empty()) return;
  if (begins_as_storage_analytics(line)) {
    const std::string why = read_storage_analytics(line, entry_, decoded_);
    return why.empty() ? sink_.entry(entry_) : sink_.broken(why);
  }
  if (json_.is_within_text() || text.starts_with('{') || text.starts_with('[')) return json_.add_line(line);
  if (LogCsv::is_header(line)) return csv_.set_header(line);
  if (csv_.has_header()) return add_row(line);
  sink_.broken("it is of none of the known formats");
}

void LogReader::add_row(std::string_view line) {
  std::string why;
  switch (csv_.read(line, entry_, why)) {
    case LogCsv::Outcome::Row:
      return sink_.entry(entry_);
    case LogCsv::Outcome::Broken:
      return sink_.broken(why);
    case LogCsv::Outcome::Continues:
      return;
  }
}

void LogReader::finish() {
  json_.finish();
  if (csv_.is_within_row()) sink_.broken("the last row ends in the middle");
  csv_.forget_header();
}

}  // namespace rocktable
