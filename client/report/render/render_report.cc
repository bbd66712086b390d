#include "client/report/render/render_report.h"

#include <nlohmann/json.hpp>

#include "client/report/render/render_html.h"
#include "client/report/render/render_json.h"
#include "client/report/render/render_junit.h"
#include "client/report/render/render_markdown.h"
#include "client/report/render/render_text.h"
#include "client/report/render/report_view.h"

namespace rocktable {
std::string render_report(const InsightReport& report, const Verdict& verdict, ReportFormat format,
                          const RenderOptions& options) {
  const ReportView view = view_of(report, verdict);
  switch (format) {
    case ReportFormat::Markdown:
      return render_markdown(view);
    case ReportFormat::Html:
      return render_html(view);
    case ReportFormat::Junit:
      return render_junit(view);
    case ReportFormat::Json:
      // ASCII only, so that a terminal gets no control characters. Text of a server need not be UTF-8.
      return json_of_report(report, verdict).dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
    case ReportFormat::Text:
      break;
  }
  return render_text(view, options);
}

}  // namespace rocktable
