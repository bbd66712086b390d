// The stored access policies of a table: types, and the XML document SignedIdentifiers.
// Source: learn.microsoft.com/rest/api/storageservices/set-table-acl
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/date_time.h"
#include "odata/error.h"
#include "odata/protocol/sas.h"

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
// Errors: InvalidXmlDocument (another document, more than five identifiers, an Id that is missing, repeated
// or longer than 64 characters, an unknown or repeated element, an invalid time or permission),
// RequestBodyTooLarge (xml.h).
Result<std::vector<SignedIdentifier>> parse_signed_identifiers(std::string_view xml);

// Writes Id, AccessPolicy(Start, Expiry, Permission) in this order, times with seven decimals. Omits empty
// elements.
std::string render_signed_identifiers(const std::vector<SignedIdentifier>& identifiers);

// Returns the signed identifiers of a table; empty if there is no such table.
using FindIdentifiers = std::function<std::vector<SignedIdentifier>(std::string_view account, std::string_view table)>;

}  // namespace rocktable
