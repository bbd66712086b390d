// Key predicates, the keys of entities in URLs: `mytable(PartitionKey='p',RowKey='r')`.
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

// Appends `(PartitionKey='p',RowKey='r')` as the service writes keys into URLs: doubles quotes, then
// percent-encodes all bytes except letters, digits and - _ . ~ ! * ' ( ).
void append_key_predicate(std::string& out, std::string_view partition_key, std::string_view row_key);

// The same in two steps, `(PartitionKey='p',RowKey=` and `'r')`, for many entities of a partition.
void begin_key_predicate(std::string& out, std::string_view partition_key);
void end_key_predicate(std::string& out, std::string_view row_key);

// Reads the text between the parentheses of a key predicate. The text must be percent-decoded already. Both
// keys must occur once, in either order. White space is allowed around names, `=` and `,`. Quotes in literals
// are doubled.
//
// Errors: find_invalid_token() (a quote that is not doubled leaves a literal that does not end); InvalidInput "Bad
// Request - Error in query syntax." for other bad syntax and for a slash or backslash in a key; OutOfRangeInput for
// other characters that keys may not hold (entity.h).
Result<EntityKey> parse_key_predicate(std::string_view text);

}  // namespace rocktable
