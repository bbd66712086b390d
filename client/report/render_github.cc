#include "client/report/render_github.h"

namespace rocktable {
namespace {

std::string workflow_command(std::string_view name, std::string_view title, std::string_view message) {
  return "::" + std::string(name) + " title=" + workflow_text(title, true) +
         "::" + workflow_text(message, false) + "\n";
}

// Several lines: what is, of which shape, what is allowed, what is better.
std::string annotation_of(const Violation& violation, const ViolationGroup& group) {
  std::string out = violation.sentence;
  const auto append = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.append("\n").append(name).append(text);
  };
  append("", text_of_place(violation));
  append("allowed: ", violation.allowed);
  append("test: ", violation.test);
  append("example: ", violation.example);
  append("better: ", group.advice);
  append("see ", group.link);
  return out;
}

}  // namespace

std::string workflow_text(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '%':
        out += "%25";
        break;
      case '\r':
        out += "%0D";
        break;
      case '\n':
        out += "%0A";
        break;
      case ':':
        out += is_property ? "%3A" : ":";
        break;
      case ',':
        out += is_property ? "%2C" : ",";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string render_github(const ReportView& view) {
  std::string out;
  for (const auto& group : view.groups)
    for (const auto& violation : group.violations)
      out += workflow_command(to_string(group.level), "rocktable: " + group.title,
                              annotation_of(violation, group));
  for (const auto& rule : view.verdict.unused_rules)
    out += workflow_command("warning", "rocktable: unused rule", rule);
  return out + workflow_command("notice", "rocktable", view.headline + "\n" + view.summary);
}

}  // namespace rocktable
