// What callers needed: the smallest roles and signatures, as text, and as a section of Markdown or of a page.
#pragma once

#include <string>

#include "client/report/insight_report.h"

namespace rocktable {

// `needs` without control characters, in texts of one line each (base/printable.h). The functions below need it.
PermissionNeeds printable_needs(PermissionNeeds needs);

std::string roles_as_text(const PermissionNeeds& needs);

// Begins with a heading of level 3. Shows the first 100 callers.
std::string roles_as_markdown(const PermissionNeeds& needs);

// An element <section>. Shows the first 200 callers.
std::string roles_section(const PermissionNeeds& needs);

}  // namespace rocktable
