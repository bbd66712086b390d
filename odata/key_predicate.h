// Keys in URLs: `mytable(PartitionKey='p',RowKey='r')`.
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

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
