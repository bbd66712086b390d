#include "client/report/render/render_junit.h"

#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

namespace rocktable {
namespace {

// Replaces the characters that printable() keeps and XML 1.0 does not allow: U+FFFE and U+FFFF.
std::string xml_text(std::string text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  for (const std::string_view bad : {"\xEF\xBF\xBE", "\xEF\xBF\xBF"})
    for (auto at = text.find(bad); at != text.npos; at = text.find(bad, at)) text.replace(at, bad.size(), kReplacement);
  return text;
}

void set_attribute(pugi::xml_node node, const char* name, const std::string& value) {
  node.append_attribute(name).set_value(xml_text(value).c_str());
}

struct ViolationOfCase {
  const Violation* violation;
  const ViolationGroup* group;
};

std::string text_of(const ViolationOfCase& one) {
  std::string out = std::string(to_string(one.group->level)) + ": " + one.violation->sentence + "\n";
  const auto append = [&](const char* name, const std::string& text) {
    if (!text.empty()) out.append(name).append(text).append("\n");
  };
  append("shape: ", text_of_place(*one.violation));
  append("allowed: ", one.violation->allowed);
  append("test: ", one.violation->test);
  append("example: ", one.violation->example);
  append("better: ", one.group->advice);
  if (one.violation->design) append("here: ", one.violation->design->sentence);
  append("see ", one.group->link);
  return out;
}

// The test cases of a suite. Systems tell cases apart by class and name, so no two have the same.
class JunitSuite {
 public:
  explicit JunitSuite(pugi::xml_node suite) : suite_(suite) {}

  void add_case(const std::string& class_name, std::string name, const std::vector<ViolationOfCase>& violations) {
    const std::string base = name;
    for (int i = 2; !names_.emplace(class_name, name).second; ++i) name = base + " #" + std::to_string(i);
    ++cases_;
    pugi::xml_node one = suite_.append_child("testcase");
    set_attribute(one, "classname", class_name);
    set_attribute(one, "name", name);
    set_attribute(one, "time", "0");
    std::string errors, warnings;
    const ViolationOfCase* first = nullptr;
    for (const auto& violation : violations) {
      const bool is_error = violation.group->level == Level::Error;
      std::string& text = is_error ? errors : warnings;
      text += (text.empty() ? "" : "\n") + text_of(violation);
      if (is_error && first == nullptr) first = &violation;
    }
    if (first != nullptr) {
      ++failures_;
      pugi::xml_node failure = one.append_child("failure");
      set_attribute(failure, "message", first->violation->sentence);
      set_attribute(failure, "type", first->group->id);
      failure.text().set(xml_text(errors).c_str());
    }
    if (!warnings.empty()) one.append_child("system-out").text().set(xml_text(warnings).c_str());
  }

  int cases() const { return cases_; }
  int failures() const { return failures_; }

 private:
  pugi::xml_node suite_;
  std::set<std::pair<std::string, std::string>> names_;
  int cases_ = 0, failures_ = 0;
};

void append_properties(pugi::xml_node suite, const ReportView& view) {
  pugi::xml_node properties = suite.append_child("properties");
  const auto append = [&](const char* name, const std::string& value) {
    pugi::xml_node property = properties.append_child("property");
    set_attribute(property, "name", name);
    set_attribute(property, "value", value);
  };
  append("verdict", view.headline);
  append("program", view.report.program);
  append("since", view.report.since);
  append("until", view.report.until);
  append("requests", std::to_string(view.totals.requests));
  append("errors", std::to_string(view.totals.errors));
  if (view.totals.counts_entities) {
    append("entitiesScanned", std::to_string(view.totals.entities_scanned));
    append("entitiesReturned", std::to_string(view.totals.entities_returned));
    append("entitiesWritten", std::to_string(view.totals.entities_written));
  }
  append("notCounted", std::to_string(view.report.not_counted));
  if (view.verdict.cost) {
    append("cost", text_of_cost(view.verdict.cost->total.cost));
    append("currency", view.verdict.cost->currency);
  }
  for (const auto& note : view.notes) append("note", note);
  for (const auto& rule : view.verdict.unused_rules) append("unusedRule", rule);
}

// Names the plan only where another shape has the same name without it.
void append_cases(JunitSuite& suite, const ReportView& view) {
  std::map<std::string, int> shapes_of_place;
  for (const auto& shape : view.report.shapes) ++shapes_of_place[text_of_place(shape)];
  std::vector<ViolationOfCase> left;
  for (const auto& group : view.groups)
    for (const auto& violation : group.violations) left.push_back({&violation, &group});
  for (const auto& shape : view.report.shapes) {
    std::vector<ViolationOfCase> of_shape;
    std::erase_if(left, [&](const ViolationOfCase& one) {
      const bool is_its = is_of_shape(*one.violation, shape);
      if (is_its) of_shape.push_back(one);
      return is_its;
    });
    std::string name = text_of_query(shape);
    if (shapes_of_place[text_of_place(shape)] > 1 && !shape.plan.empty()) name += " (" + shape.plan + ")";
    suite.add_case(shape.table.empty() ? "rocktable" : shape.table, name, of_shape);
  }
  for (const auto& one : left)
    suite.add_case(one.violation->table.empty() ? "rocktable" : one.violation->table, one.group->title, {one});
}

}  // namespace

std::string render_junit(const ReportView& view) {
  pugi::xml_document document;
  pugi::xml_node declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "UTF-8";
  pugi::xml_node node = document.append_child("testsuites").append_child("testsuite");
  node.append_attribute("name") = "rocktable";
  pugi::xml_attribute tests = node.append_attribute("tests"), failures = node.append_attribute("failures");
  node.append_attribute("errors") = 0;
  node.append_attribute("skipped") = 0;
  // Without fraction and zone, as JUnit's schema has it.
  set_attribute(node, "timestamp", view.report.since.substr(0, 19));
  append_properties(node, view);
  JunitSuite suite(node);
  append_cases(suite, view);
  tests = suite.cases();
  failures = suite.failures();
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace rocktable
