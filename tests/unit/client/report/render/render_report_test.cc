// Renderings of a fixed report, compared with files beside this one. To write them again after a change that is meant:
// ROCKTABLE_WRITE_EXPECTED=1 build/debug/tests/unit_tests -sf='*render_report_test*'
#include "client/report/render/render_report.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <pugixml.hpp>
#include <sstream>

#include "client/report/judge/judge.h"
#include "client/report/render/markdown_text.h"
#include "client/report/render/render_html.h"
#include "client/report/render/render_roles.h"
#include "client/report/render/report_view.h"
#include "client/terminal/text_width.h"
#include "tests/unit/client/report/report_fixture.h"

namespace rocktable::TEST_FILE {
namespace {

std::string rendered(ReportFormat format, std::size_t columns = 80, bool colour = false) {
  return render_report(fixed_report(), fixed_verdict(), format, {colour, columns});
}

void check_expected(const std::string& name, const std::string& text) {
  CAPTURE(name);
  const std::string file = report_file("render/" + name);
  if (std::getenv("ROCKTABLE_WRITE_EXPECTED") != nullptr) std::ofstream(file, std::ios::binary) << text;
  const bool is_expected = text == read_file(file);
  CHECK(is_expected);  // the texts are too long for a message
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

// Other than tab and line feed.
bool has_control_characters(const std::string& text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
  });
}

constexpr const char* kBidiControl = "\xE2\x80\xAE";

TEST_CASE("The renderings of the fixed report are as expected") {
  check_expected("expected.40.txt", rendered(ReportFormat::Text, 40));
  check_expected("expected.80.txt", rendered(ReportFormat::Text, 80));
  check_expected("expected.120.txt", rendered(ReportFormat::Text, 120));
  check_expected("expected.md", rendered(ReportFormat::Markdown));
  check_expected("expected.html", rendered(ReportFormat::Html));
  check_expected("expected.json", rendered(ReportFormat::Json));
  check_expected("expected.xml", rendered(ReportFormat::Junit));
}

TEST_CASE("A report of logs says what it was made of, and shows no number of entities") {
  InsightReport report = fixed_report();
  for (ShapeStatistics& shape : report.shapes) shape.counts_entities = false;
  report.logs = LogSummary{2, 1'000, 3, 4, 0, 1, 5, "a\x1b[31m.log:7: it is <odd>"};
  const Verdict verdict = judge(report, nullptr);
  for (const auto name : report_format_names()) {
    CAPTURE(name);
    const auto format = *parse_report_format(name);
    const std::string text = render_report(report, verdict, format, {false, 400});
    CHECK_FALSE(has_control_characters(text));
    CHECK(text.find("entitiesScanned") == text.npos);
    CHECK(text.find("3,000") == text.npos);
    if (format == ReportFormat::Json) continue;
    CHECK(text.find("From 1,000 lines of logs in 2 files. Logs do not count entities") != text.npos);
    CHECK(text.find("without a shape: 1. They count") != text.npos);
    CHECK(text.find("not of the table service, and are skipped: 3.") != text.npos);
    CHECK(text.find("there twice, and count once: 4.") != text.npos);
    CHECK(text.find("further operation") == text.npos);
    CHECK(text.find("Broken lines: 5. The first is a") != text.npos);
  }
}

TEST_CASE("A report without requests is rendered in all formats") {
  for (const auto name : report_format_names()) {
    CAPTURE(name);
    const std::string text = render_report({}, {}, parse_report_format(name).value(), {});
    CHECK(text.ends_with("\n"));
    CHECK(text.find("no findings") != text.npos);
  }
}

TEST_CASE("A page tells the smallest roles and signatures, and only if there were callers") {
  InsightReport report = fixed_report();
  constexpr const char* kTitle = "The smallest roles and signatures that suffice";
  const std::string page = rendered(ReportFormat::Html);
  for (const char* const part :
       {kTitle, "<h3>Token of shop</h3>", "1,234 requests; tables: orders",
        "Storage Table Data Contributor, Storage Table Delegator", "<code>devstoreaccount1/orders</code>",
        "&quot;IsCustom&quot;: true,", "<h3>User delegation SAS of nobody (it has no oid)</h3>", "<dd>all</dd>",
        "<dt>resource types (srt)</dt><dd><code>co</code></dd>", "7 requests of further callers are not counted.",
        "<h3>Token of &lt;/h3&gt;&lt;script&gt;alert(6)&lt;/script&gt;\\u0007</h3>"}) {
    CAPTURE(part);
    CHECK(page.find(part) != page.npos);
  }
  for (const char* const tag : {"<script", "<img", "<b>", "<i>"}) CHECK(page.find(tag) == page.npos);
  report.permissions.reset();
  const std::string without = render_report(report, fixed_verdict(), ReportFormat::Html, {});
  CHECK(without.find(kTitle) == without.npos);
  const std::string empty = render_roles_page({});
  CHECK(empty.starts_with("<!doctype html>"));
  CHECK(empty.find("No request had a bearer token or a shared access signature.") != empty.npos);
}

TEST_CASE("A page shows 200 callers, and says how many there are more") {
  PermissionNeeds needs;
  needs.callers.resize(201);
  const std::string page = render_roles_page(needs);
  std::size_t articles = 0;
  for (auto at = page.find("<article"); at != page.npos; at = page.find("<article", at + 1)) ++articles;
  CHECK(articles == 200);
  CHECK(page.find("... and 1 more caller, which --format json has") != page.npos);
}

TEST_CASE("Markdown tells the smallest roles, and hostile text ends no code") {
  const std::string text = rendered(ReportFormat::Markdown);
  CHECK(text.find("\n#### Token of shop\n\nfor devstoreaccount1, 1,234 requests; tables: orders\n") != text.npos);
  CHECK(text.find("\n```json\n{\n  \"Actions\": [\n") != text.npos);
  CHECK(text.find("\n- table (tn): `<img src=x onerror=alert(4)>`\n") != text.npos);
  CHECK(text.find("#### Token of &lt;/h3&gt;&lt;script&gt;alert(6)&lt;/script&gt;") != text.npos);
  InsightReport report = fixed_report();
  report.permissions.reset();
  CHECK(render_report(report, fixed_verdict(), ReportFormat::Markdown, {}).find("####") == std::string::npos);
}

TEST_CASE("The text of what callers needed has no control characters, and roles stay in lines") {
  const std::string text = roles_as_text(printable_needs(*fixed_report().permissions));
  CHECK_FALSE(has_control_characters(text));
  CHECK(text.find(kBidiControl) == text.npos);
  CHECK(text.find("\n      \"IsCustom\": true,\n") != text.npos);
  CHECK(text.find("  smallest signature: sp=rl srt=co\n") != text.npos);
}

TEST_CASE("No rendering passes on control characters of a report") {
  for (const auto name : report_format_names()) {
    CAPTURE(name);
    const std::string text = rendered(parse_report_format(name).value());
    CHECK_FALSE(has_control_characters(text));
    CHECK(text.find(kBidiControl) == text.npos);
  }
}

TEST_CASE("Lines fit the terminal, except for what is not broken") {
  for (const std::size_t columns : {40U, 80U, 120U}) {
    CAPTURE(columns);
    for (const std::string& line : lines_of(rendered(ReportFormat::Text, columns))) {
      CAPTURE(line);
      const auto begin = std::min(line.find_first_not_of(' '), line.size());
      const bool is_example = line.compare(begin, 5, "GET /") == 0;
      const bool is_link = line.compare(begin, 4, "See ") == 0;
      CHECK((width_of(line) <= columns || is_example || is_link));
    }
  }
}

TEST_CASE("Colours do not change the text") {
  std::string text = rendered(ReportFormat::Text, 80, true);
  for (auto at = text.find('\x1B'); at != text.npos; at = text.find('\x1B', at))
    text.erase(at, text.find('m', at) + 1 - at);
  CHECK(text == rendered(ReportFormat::Text, 80));
}

TEST_CASE("Columns of the table appear as the terminal gets wider") {
  const auto has = [](std::size_t columns, const char* name) {
    return rendered(ReportFormat::Text, columns).find(std::string(" ") + name + " ") != std::string::npos;
  };
  CHECK_FALSE(has(40, "class"));
  CHECK(has(80, "class"));
  CHECK_FALSE(has(80, "failed"));
  CHECK(has(120, "failed"));
}

TEST_CASE("The first line of Markdown says the verdict") {
  CHECK(lines_of(rendered(ReportFormat::Markdown)).at(0) == "## rocktable: over budget: 4 errors and 3 warnings");
}

TEST_CASE("Prose and code of Markdown are escaped") {
  struct {
    const char *text, *prose, *code;
  } cases[] = {
      {"plain", "plain", "`plain`"},
      {"a|b", "a\\|b", "<code>a&#124;b</code>"},
      {"<b>&amp;", "&lt;b&gt;&amp;amp;", "`<b>&amp;`"},
      {"`de` x", "`de` x", "<code>&#96;de&#96; x</code>"},
      {"a ` b", "a \\` b", "<code>a &#96; b</code>"},
      {"`a|b`", "<code>a&#124;b</code>", "<code>&#96;a&#124;b&#96;</code>"},
      {"*_[x](y)_*", "\\*\\_\\[x\\](y)\\_\\*", "`*_[x](y)_*`"},
      {"@all #1", "@<!-- -->all \\#1", "`@all #1`"},
      {" a", " a", "<code> a</code>"},
      {"", "", "<code></code>"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(markdown_prose(c.text) == c.prose);
    CHECK(markdown_code(c.text) == c.code);
  }
}

TEST_CASE("Rows of a Markdown table have as many cells as its head") {
  const auto bars = [](const std::string& line) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < line.size(); ++i) count += line[i] == '|' && (i == 0 || line[i - 1] != '\\');
    return count;
  };
  for (const std::string& line : lines_of(rendered(ReportFormat::Markdown))) {
    if (!line.starts_with("|")) continue;
    CAPTURE(line);
    CHECK((bars(line) == 9 || bars(line) == 4));  // shapes, costs
  }
}

TEST_CASE("A page has no markup of a report, and refers to nothing") {
  const std::string page = rendered(ReportFormat::Html);
  for (const char* markup : {"<script", "<img", " src=\"", "href=\"h", "url(", "@import", "onerror=alert(1)>"})
    CHECK(page.find(markup) == page.npos);
  CHECK(page.find("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;") != page.npos);
}

TEST_CASE("The XML of test results can be read, and has the texts") {
  const std::string text = rendered(ReportFormat::Junit);
  pugi::xml_document document;
  REQUIRE(document.load_buffer(text.data(), text.size()));
  const auto suite = document.child("testsuites").child("testsuite");
  CHECK(std::string(suite.attribute("name").value()) == "rocktable");
  const auto cases = std::distance(suite.children("testcase").begin(), suite.children("testcase").end());
  CHECK(suite.attribute("tests").as_int() == cases);
  CHECK(cases == 11);  // ten shapes and the total
  const auto failed = suite.select_nodes("testcase/failure");
  CHECK(suite.attribute("failures").as_int() == static_cast<int>(failed.size()));
  CHECK(failed.size() == 4);
  const auto log = suite.find_child_by_attribute("testcase", "classname", "log#");
  CHECK(std::string(log.attribute("name").value()) == "QueryEntities Age gt ? and Name eq ? $select=Age,Name");
  CHECK(std::string(log.child("failure").attribute("type").value()) == "table-scan");
  const auto reads = suite.find_child_by_attribute("testcase", "name", "GetEntity");
  CHECK(std::string(reads.child("system-out").text().get()).starts_with("warning: 100 point reads"));
}

TEST_CASE("Cases of test results have different names") {
  InsightReport report;
  report.shapes.resize(3);
  for (auto& shape : report.shapes) shape.table = "orders", shape.operation = "QueryEntities";
  report.shapes[0].plan = "point";
  report.shapes[1].plan = "table-scan";
  report.shapes[2].table = "ORDERS\x01";
  const std::string text = render_report(report, {}, ReportFormat::Junit, {});
  CHECK(text.find("name=\"QueryEntities (point)\"") != text.npos);
  CHECK(text.find("name=\"QueryEntities (table-scan)\"") != text.npos);
  CHECK(text.find("classname=\"ORDERS\\u0001\" name=\"QueryEntities\"") != text.npos);
}

TEST_CASE("Characters that XML does not have are replaced") {
  InsightReport report;
  report.shapes.resize(1);
  report.shapes[0].table =
      "a\xEF\xBF\xBF"
      "b\xEF\xBF\xBE";
  const std::string text = render_report(report, {}, ReportFormat::Junit, {});
  CHECK(text.find("classname=\"a\xEF\xBF\xBD"
                  "b\xEF\xBF\xBD\"") != text.npos);
}

TEST_CASE("The verdict is one short text") {
  const auto headline = [](int errors, int warnings, bool has_budget) {
    Verdict verdict;
    verdict.has_budget = has_budget;
    for (int i = 0; i < errors; ++i) verdict.violations.emplace_back().level = Level::Error;
    for (int i = 0; i < warnings; ++i) verdict.violations.emplace_back();
    return headline_of(verdict);
  };
  CHECK(headline(0, 0, false) == "no findings");
  CHECK(headline(0, 1, false) == "1 warning");
  CHECK(headline(0, 0, true) == "within budget");
  CHECK(headline(0, 2, true) == "within budget: 2 warnings");
  CHECK(headline(1, 0, true) == "over budget: 1 error");
  CHECK(headline(2, 1, true) == "over budget: 2 errors and 1 warning");
}

TEST_CASE("Numbers have three significant digits and no zeros at the end") {
  struct {
    double number;
    const char* text;
  } cases[] = {{0, "0"},      {0.004, "0"},    {0.05, "0.05"},  {0.5, "0.5"},   {3.456, "3.46"},   {9.994, "9.99"},
               {9.996, "10"}, {12.54, "12.5"}, {99.94, "99.9"}, {99.96, "100"}, {1234.5, "1,235"}, {2e16, "2e+16"}};
  for (const auto& c : cases) CHECK(text_of_milliseconds(c.number) == c.text);
  CHECK(text_of_cost(0) == "0.00");
  CHECK(text_of_cost(12.5) == "12.50");
  CHECK(text_of_cost(0.000036) == "< 0.01");
}

TEST_CASE("The ending of a file tells the format") {
  CHECK(report_format_of_file("a/b.md") == ReportFormat::Markdown);
  CHECK(report_format_of_file("report.xml") == ReportFormat::Junit);
  CHECK(report_format_of_file("report.html") == ReportFormat::Html);
  CHECK(report_format_of_file("report.json") == ReportFormat::Json);
  CHECK(report_format_of_file("report.txt") == ReportFormat::Text);
  CHECK_FALSE(report_format_of_file("report"));
  for (const auto name : report_format_names()) CHECK(parse_report_format(name));
  CHECK_FALSE(parse_report_format("HTML"));
}

}  // namespace
}  // namespace rocktable::TEST_FILE
