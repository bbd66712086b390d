// `rocktable report`: shows what a rocktable recorded about the requests of its clients, or what logs say about them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace rocktable {

// Reads files of logs: the document of `GET /_rocktable/queries`, with the member `logs`. Throws std::runtime_error
// with a sentence.
using ReadLogs = nlohmann::json (*)(const std::vector<std::string>& paths);

// Returns the exit code. Throws as run_command().
int run_report(int argc, const char* const* argv, ReadLogs read_logs);

}  // namespace rocktable
