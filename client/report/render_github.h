// The violations as commands of a GitHub workflow, which become annotations.
#pragma once

#include <string>
#include <string_view>

#include "client/report/report_view.h"

namespace rocktable {

// A line for each violation and each unused rule, and a notice with the verdict.
// Source: docs.github.com/actions/reference/workflows-and-actions/workflow-commands
std::string render_github(const ReportView& view);

// Escapes the message of a command. `is_property`: of a value such as `title=`, which a comma or a colon would end.
// Source: github.com/actions/toolkit, packages/core/src/command.ts
std::string workflow_text(std::string_view text, bool is_property);

}  // namespace rocktable
