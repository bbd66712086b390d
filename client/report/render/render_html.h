// The report as one page that needs no other file, no network and no script.
#pragma once

#include <string>

#include "client/report/render/report_view.h"

namespace rocktable {

std::string render_html(const ReportView& view);

// What callers needed as a page of its own. The texts of `needs` must be printable.
std::string render_roles_page(const PermissionNeeds& needs);

}  // namespace rocktable
