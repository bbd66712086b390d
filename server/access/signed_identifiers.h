// Stored access policies of a table, and their XML.
// Source: learn.microsoft.com/rest/api/storageservices/set-table-acl
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "odata/date_time.h"
#include "odata/error.h"

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

// The signed identifiers of a table; none where there is no such table.
using FindIdentifiers =
    std::function<std::vector<SignedIdentifier>(std::string_view account, std::string_view table)>;

}  // namespace rocktable
