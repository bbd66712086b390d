#include "client/report/render/report_file.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "base/input_file.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {

TEST_CASE("the format of a report is told, or that of the file's name, or text") {
  CHECK(format_of_report("a.html", std::nullopt) == ReportFormat::Html);
  CHECK(format_of_report("a.md", std::nullopt) == ReportFormat::Markdown);
  CHECK(format_of_report("a.md", ReportFormat::Json) == ReportFormat::Json);
  CHECK(format_of_report("report", std::nullopt) == ReportFormat::Text);
  CHECK(format_of_report("-", std::nullopt) == ReportFormat::Text);
}

TEST_CASE("a report replaces its file, but is added to the summary of a step") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "report.json", summary = folder.path() / "step_summary_1";
  write_report_file(file, "one\n");
  write_report_file(file, "two\n");
  CHECK(read_file(file) == "two\n");
  setenv("GITHUB_STEP_SUMMARY", summary.c_str(), 1);
  CHECK(format_of_report(summary, std::nullopt) == ReportFormat::Markdown);
  write_report_file(summary, "one\n");
  write_report_file(summary, "two\n");
  unsetenv("GITHUB_STEP_SUMMARY");
  CHECK(read_file(summary) == "one\ntwo\n");
  CHECK_THROWS_WITH(write_report_file(folder.path() / "absent" / "a.md", ""), doctest::Contains("cannot be written"));
}

}  // namespace rocktable::TEST_FILE
