// Files of logs, for `rocktable report --logs`.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace rocktable {

// Reads the files one after the other, those of a folder and of the folders in it in the order of their paths; `-` is
// standard input. Returns LogInsight::document().
//
// Throws std::runtime_error with a sentence if a file cannot be read, is compressed, or has no line that is understood,
// and if a folder has no files. Files whose name begins with a dot are left out of folders. Empty files are fine: the
// service writes some.
nlohmann::json read_log_files(const std::vector<std::string>& paths);

}  // namespace rocktable
