// The formats of reports, and how they are selected.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace rocktable {

enum class ReportFormat { Text, Markdown, Html, Json, Junit };

// `text`, `markdown`, `html`, `json`, `junit`: the values of --format.
std::span<const std::string_view> report_format_names();
// Returns nullopt if there is no such format.
std::optional<ReportFormat> parse_report_format(std::string_view name);
// The format that the ending of a file's name tells: .txt, .md, .html, .json, .xml (junit). Returns nullopt for others.
std::optional<ReportFormat> report_format_of_file(std::string_view path);

// How `Text` looks; the other formats ignore it.
struct RenderOptions {
  bool colour = false;  // escape sequences of a terminal
  std::size_t columns = 80;
  bool explains = false;  // with reasons, and changes as code
};

}  // namespace rocktable
