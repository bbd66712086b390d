#include "server/access_log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "odata/text.h"

namespace rocktable {

AccessLog::AccessLog(bool silent, const std::string& debug_file) {
  if (!silent) {
    console_ = std::make_shared<spdlog::logger>("access", std::make_shared<spdlog::sinks::stdout_sink_mt>());
    console_->set_pattern("%v");
  }
  if (debug_file.empty()) return;
  try {
    file_ = std::make_shared<spdlog::logger>(
        "debug", std::make_shared<spdlog::sinks::basic_file_sink_mt>(debug_file, false));
  } catch (const spdlog::spdlog_ex& error) {
    throw std::runtime_error("cannot write the debug log: " + std::string(error.what()));
  }
  file_->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %v");
  file_->flush_on(spdlog::level::info);
}

void AccessLog::write(const AccessRecord& record) {
  if (!console_ && !file_) return;
  const std::string target = without_signature(record.target);
  if (console_) {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    char time[32];
    std::strftime(time, sizeof time, "%d/%b/%Y:%H:%M:%S %z", &local);
    console_->info("{} - - [{}] \"{} {} HTTP/1.1\" {} {}", record.remote_address, time, record.method, target,
                   record.status, record.body_bytes);
  }
  if (!file_) return;
  std::string cost;
  if (!record.plan_class.empty()) {
    cost = fmt::format(" {} scanned {} returned {} read {} bytes", record.plan_class, record.entities_scanned,
                       record.entities_returned, record.bytes_read);
  }
  file_->info("{} {} {} {} -> {} {} bytes {} us{}", record.request_id, record.remote_address, record.method,
              target, record.status, record.body_bytes, record.duration.count(), cost);
}

std::string without_signature(std::string_view target) {
  constexpr std::string_view kName = "sig=";
  std::string out(target);
  // In any case and as often as it comes, for so it is read as well.
  for (auto at = out.find('?'); at != std::string::npos; at = out.find('&', at + 1)) {
    if (!equals_ignoring_case(std::string_view(out).substr(at + 1, kName.size()), kName)) continue;
    const auto value = at + 1 + kName.size();
    out.replace(value, std::min(out.find('&', value), out.size()) - value, "***");
  }
  return out;
}

}  // namespace rocktable
