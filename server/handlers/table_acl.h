// Stored access policies of a table: Get and Set Table ACL.
// Source: learn.microsoft.com/rest/api/storageservices/set-table-acl
#pragma once

#include <string>

#include "server/request/operation.h"
#include "server/request/request_context.h"
#include "server/request/response.h"
#include "storage/store.h"

namespace rocktable {

Response get_table_acl(const Store& store, const RequestContext& context, const GetTableAcl& operation);
Response set_table_acl(Store& store, const RequestContext& context, const SetTableAcl& operation,
                       const std::string& body);

}  // namespace rocktable
