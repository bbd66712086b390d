#include "server/logs/log_files.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <istream>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/input_file.h"
#include "odata/files/line_stream.h"
#include "server/logs/log_insight.h"
#include "server/logs/log_reader.h"

namespace rocktable {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInput = "-";
constexpr std::string_view kGzip = "\x1f\x8b", kUtf16Little = "\xff\xfe", kUtf16Big = "\xfe\xff";

bool is_hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> out;
  try {
    for (auto entry = fs::recursive_directory_iterator(folder); entry != fs::recursive_directory_iterator(); ++entry) {
      if (is_hidden(entry->path())) {
        entry.disable_recursion_pending();
      } else if (entry->is_regular_file()) {
        out.push_back(entry->path().string());
      }
    }
  } catch (const fs::filesystem_error& error) {
    throw std::runtime_error(folder + " cannot be read: " + error.code().message());
  }
  if (out.empty()) throw std::runtime_error(folder + " has no files");
  std::sort(out.begin(), out.end());
  return out;
}

// Reads the lines of one file. `name` is for messages.
void read_lines(std::istream& in, const std::string& name, LogInsight& insight) {
  LineReader lines(in, name);
  std::string first_broken;
  const auto note_broken = [&](std::string_view why) {
    const std::string place = name + ":" + std::to_string(lines.line());
    if (first_broken.empty()) first_broken = place + ": " + std::string(why);
    insight.add_broken(place, why);
  };
  LogReader reader({.entry =
                        [&](const LogEntry& entry) {
                          if (const std::string why = insight.add(entry); !why.empty()) note_broken(why);
                        },
                    .broken = note_broken});
  const std::uint64_t before = insight.understood();
  while (const auto line = lines.next()) {
    if (lines.line() == 1 && line->starts_with(kGzip))
      throw std::runtime_error(name + " is compressed; use: zcat " + (name == "standard input" ? "FILE" : name) +
                               " | rocktable report --logs -");
    if (lines.line() == 1 && (line->starts_with(kUtf16Little) || line->starts_with(kUtf16Big)))
      throw std::runtime_error(name + " is UTF-16, as PowerShell writes files; save it as UTF-8");
    reader.add_line(*line);
  }
  reader.finish();
  insight.add_file();
  insight.add_lines(lines.line());
  if (insight.understood() == before && !first_broken.empty())
    throw std::runtime_error("no line of " + name + " is of the known logs; " + first_broken);
}

}  // namespace

nlohmann::json read_log_files(const std::vector<std::string>& paths) {
  const auto insight = std::make_unique<LogInsight>();
  const auto read_one = [&](const std::string& path) {
    InputFile file(path);
    read_lines(file, path, *insight);
  };
  for (const std::string& path : paths) {
    if (path == kInput) {
      read_lines(std::cin, "standard input", *insight);
    } else if (std::error_code unknown; fs::is_directory(path, unknown)) {
      for (const std::string& file : files_of_folder(path)) read_one(file);
    } else {
      read_one(path);
    }
  }
  return insight->document();
}

}  // namespace rocktable
