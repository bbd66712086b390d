// The report as the results of tests, for CI systems that read JUnit's XML.
#pragma once

#include <string>

#include "client/report/render/report_view.h"

namespace rocktable {

// Each shape is a test case; a violation that is of no shape is one, too. Errors are a <failure>, warnings are in
// <system-out>. The totals are properties of the suite.
// Source of the form: github.com/testmoapp/junitxml
std::string render_junit(const ReportView& view);

}  // namespace rocktable
