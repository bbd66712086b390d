#include "client/report/render/report_file.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>

#include "base/atomic_file.h"

namespace rocktable {
namespace {

bool is_step_summary(const std::string& path) {
  const char* const summary = std::getenv("GITHUB_STEP_SUMMARY");
  return summary != nullptr && path == summary;
}

}  // namespace

ReportFormat format_of_report(const std::string& path, std::optional<ReportFormat> told) {
  if (told) return *told;
  if (is_step_summary(path)) return ReportFormat::Markdown;
  return report_format_of_file(path).value_or(ReportFormat::Text);
}

void write_report_file(const std::string& path, const std::string& text) {
  bool is_written = false;
  if (is_step_summary(path)) {
    std::ofstream file(path, std::ios::app);
    file << text << std::flush;
    is_written = file.good();
  } else {
    AtomicFile file(path, FileRights::ReadableByAll);
    file.write(text);
    is_written = file.replace();
  }
  if (!is_written) throw std::runtime_error("the report " + path + " cannot be written: " + std::strerror(errno));
}

}  // namespace rocktable
