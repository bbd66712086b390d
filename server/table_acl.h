// Stored access policies of a table: Get and Set Table ACL, and their XML.
// Source: learn.microsoft.com/rest/api/storageservices/set-table-acl
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "server/exchange.h"
#include "server/operation.h"
#include "server/response.h"
#include "storage/table_store.h"

namespace rocktable {

struct SignedIdentifier {
  std::string id;
  std::optional<DateTime> start;
  std::optional<DateTime> expiry;
  std::string permissions;  // letters of `raud`, in this order

  bool operator==(const SignedIdentifier&) const = default;
};

// Reads a SignedIdentifiers document; an empty text is an empty list.
//
// Errors: InvalidXmlDocument (not such a document, more than five identifiers, no Id or one over 64
// characters, the same Id twice, an element that is unknown or comes twice, a time or permission that is
// none), RequestBodyTooLarge (xml.h).
Result<std::vector<SignedIdentifier>> parse_signed_identifiers(std::string_view xml);

// Order Id, AccessPolicy(Start, Expiry, Permission), times with seven decimals; what is empty is left out.
std::string render_signed_identifiers(const std::vector<SignedIdentifier>& identifiers);

Response get_table_acl(const TableStore& store, const Exchange& exchange, const GetTableAcl& operation);
Response set_table_acl(TableStore& store, const Exchange& exchange, const SetTableAcl& operation,
                       const std::string& body);

}  // namespace rocktable
