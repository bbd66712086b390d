// Which requests the service bills as transactions.
#pragma once

#include <string_view>

namespace rocktable {

// Returns what the column `Billable` says of a request's status: requests that the service throttled, and those that
// failed on its side, cost nothing.
//
//   request_status  as logs name it: `Success`, `SASThrottlingError`. From version 2017-04-17 on, logs have an error
//                   code in place of ClientOtherError: `ResourceNotFound`, `ServerBusy`. Empty: not known
//   http_status     decides if request_status is empty or not in the documented table: from 500 on it is not billed
//
// Source: learn.microsoft.com/rest/api/storageservices/storage-analytics-logged-operations-and-status-messages
bool is_billed(std::string_view request_status, int http_status);

}  // namespace rocktable
