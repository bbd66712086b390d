// What the service bills as transactions.
#pragma once

#include <cstdint>

#include "client/report/insight_report.h"

namespace rocktable {

// Each request is one transaction: each page of a query, also an empty one, and an entity group transaction with all of
// its writes. A request that is refused is one, too (ClientOtherError, AuthorizationError).
//
// The service does not bill requests that it throttles (503) or that fail on its side (500 and above): `unbilled`
// (odata/insight/billed_requests.h). Here such requests come from fault rules and behaviours.
// Source: learn.microsoft.com/archive/blogs/windowsazurestorage/
// understanding-windows-azure-storage-billing-bandwidth-transactions-and-capacity (pages, entity group transactions)
std::uint64_t transactions_of(const ShapeStatistics& shape);
std::uint64_t transactions_of(const InsightReport& report);

}  // namespace rocktable
