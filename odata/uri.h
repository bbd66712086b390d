// Percent-encoding, and keys in URLs: `mytable(PartitionKey='p',RowKey='r')`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

// Decodes %XX once. `plus_is_space` as in query strings; in paths a plus stays a plus. Nothing if a % is not
// followed by two hex digits, or if the result is not UTF-8.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

// Encodes all bytes but A-Z a-z 0-9 - _ . ~ with upper-case hex.
std::string percent_encode(std::string_view text);

// Appends `(PartitionKey='p',RowKey='r')` as the service writes keys into URLs: quotes doubled, then all but
// unreserved characters and quotes percent-encoded.
void append_key_predicate(std::string& out, std::string_view partition_key, std::string_view row_key);

// Reads what stands between the parentheses of a key predicate, already percent-decoded: both keys, once
// each, in either order, white space around names, `=` and `,` allowed, quotes in literals doubled.
//
// Errors: InvalidInput "Bad Request - Error in query syntax." for bad syntax and for a slash or backslash in
// a key; OutOfRangeInput for other characters that keys may not hold (entity.h).
Result<EntityKey> parse_key_predicate(std::string_view text);

}  // namespace rocktable
