#include "server/request/request_headers.h"

#include <algorithm>
#include <array>

#include "base/date_time.h"
#include "base/last_result.h"
#include "odata/error.h"

namespace rocktable {
namespace {

constexpr std::size_t kMaxClientRequestId = 1024;

// Source: learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services
constexpr std::array<std::string_view, 48> kVersions = {
    "2009-04-14", "2009-07-17", "2009-09-19", "2011-08-18", "2012-02-12", "2013-08-15", "2014-02-14", "2015-02-21",
    "2015-04-05", "2015-07-08", "2015-12-11", "2016-05-31", "2017-04-17", "2017-07-29", "2017-11-09", "2018-03-28",
    "2018-11-09", "2019-02-02", "2019-07-07", "2019-10-10", "2019-12-12", "2020-02-10", "2020-04-08", "2020-06-12",
    "2020-08-04", "2020-10-02", "2020-12-06", "2021-02-12", "2021-04-10", "2021-06-08", "2021-08-06", "2021-10-04",
    "2021-12-02", "2022-11-02", "2023-01-03", "2023-08-03", "2023-11-03", "2024-02-04", "2024-05-04", "2024-08-04",
    "2024-11-04", "2025-01-05", "2025-05-05", "2025-07-05", "2025-11-05", "2026-02-06", "2026-04-06", "2026-06-06"};

constexpr std::string_view kNewestVersion = kVersions.back();

bool is_known_version(std::string_view version) {
  return std::find(kVersions.begin(), kVersions.end(), version) != kVersions.end();
}

// Whether it is a date, yyyy-MM-dd.
bool is_version(std::string_view text) { return text.size() == 10 && parse_date_time(text).has_value(); }

}  // namespace

std::string_view newest_version() { return kNewestVersion; }

std::string version_of(const Headers& headers, const QueryParameters& query, bool strict) {
  std::string_view version = headers.get("x-ms-version");
  if (version.empty()) version = query.get("api-version").value_or("");
  if (version.empty()) return std::string(kNewestVersion);
  if (!with_last_result<is_version>(version) || (strict && !is_known_version(version)))
    throw ServiceException(ErrorCode::InvalidHeaderValue);
  return std::string(version);
}

void require_unambiguous(const Headers& headers, const QueryParameters& query) {
  if (const auto name = repeated_header(headers); !name.empty())
    throw ServiceException(name == "Authorization" ? ErrorCode::InvalidAuthenticationInfo
                                                   : ErrorCode::InvalidHeaderValue);
  if (query.all().size() < 2) return;
  for (const std::string_view name : {"comp", "restype", "api-version", "timeout"})
    if (query.count(name) > 1) throw ServiceException(ErrorCode::InvalidQueryParameterValue);
}

std::string client_request_id_of(const Headers& headers) {
  const auto id = headers.get("x-ms-client-request-id");
  const bool visible = std::all_of(id.begin(), id.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return visible && id.size() <= kMaxClientRequestId ? std::string(id) : std::string();
}

}  // namespace rocktable
