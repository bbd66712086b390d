#include "server/program/report_from_logs.h"

#include <nlohmann/json.hpp>

#include "client/commands/report_command.h"
#include "server/logs/log_files.h"

namespace rocktable {

int run_report_from_logs(int argc, const char* const* argv) { return run_report(argc, argv, read_log_files); }

}  // namespace rocktable
