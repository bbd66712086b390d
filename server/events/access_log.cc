#include "server/events/access_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

#include <ctime>
#include <stdexcept>

#include "base/platform/file.h"
#include "base/platform/local_time.h"
#include "base/platform/terminal.h"
#include "server/events/debug_lines.h"
#include "server/events/masking.h"

namespace rocktable {

namespace {

std::string console_line(const RequestEvent& event, std::string_view target) {
  constexpr std::size_t kMaxTarget = kMaxReadyBytes / 2;
  const bool cut = target.size() > kMaxTarget;
  return fmt::format("{} - - [{}] \"{} {}{} HTTP/1.1\" {} {}\n", event.remote_address,
                     local_time_of_log(std::time(nullptr)), event.method.substr(0, 100), target.substr(0, kMaxTarget),
                     cut ? "..." : "", event.status, event.body_bytes);
}

}  // namespace

AccessLog::AccessLog(bool silent, const std::string& debug_file) : silent_(silent) {
  if (debug_file.empty()) return;
  // It has targets and addresses of requests, which are the owner's business. An existing file keeps its rights.
  File::create(debug_file, FileRights::OwnerOnly);
  try {
    file_ = std::make_shared<spdlog::logger>("debug",
                                             std::make_shared<spdlog::sinks::basic_file_sink_mt>(debug_file, false));
  } catch (const spdlog::spdlog_ex& error) {
    throw std::runtime_error("cannot write the debug log: " + std::string(error.what()));
  }
  file_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
  file_->flush_on(spdlog::level::info);
}

// Standard output may be a pipe without reader. Drops the line if the pipe is full, so that the emulator does
// not block.
void AccessLog::print(const std::string& line) {
  const std::lock_guard lock(console_mutex_);
  write_if_ready(StandardStream::Output, line);
}

void AccessLog::record(const RequestEvent& event) {
  if (silent_ && !file_) return;
  const std::string target = percent_encoded(without_signature(event.target));
  if (!silent_) print(console_line(event, target));
  if (!file_) return;
  std::string cost;
  if (!event.plan_class.empty()) {
    cost = fmt::format(" {} scanned {} returned {}", event.plan_class, event.scanned_in_cloud,
                       event.reads.entities_returned);
    if (event.scanned_in_cloud != event.reads.entities_scanned)
      cost += fmt::format(" here scanned {}", event.reads.entities_scanned);
    cost += fmt::format(" read {} bytes", event.reads.bytes_read);
  }
  cost += reason_of(event);
  if (!event.explanation.empty()) cost += fmt::format(" refused: {}", event.explanation);
  if (!event.changed_by.empty()) cost += fmt::format(" fault: {}", event.changed_by);
  file_->info("{} {} {} {} -> {} {} bytes {} us{}", event.request_id, event.remote_address, event.method, target,
              event.status, event.body_bytes, event.duration.count(), cost);
  for (const std::string& operation : operations_of(event)) file_->info("{} {}", event.request_id, operation);
}

}  // namespace rocktable
