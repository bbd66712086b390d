// $filter text to tree.
#pragma once

#include <string_view>

#include "odata/error.h"
#include "odata/filter.h"

namespace rocktable {

// What is filtered decides which names have a declared type.
enum class FilterTarget {
  Entities,  // PartitionKey and RowKey are Edm.String, Timestamp is Edm.DateTime, all else is open
  Tables,    // TableName is Edm.String, no other name exists
};

// Nesting of parentheses and `not` that a filter may have. Deeper ones are refused, for recursion costs stack:
// some 0.2 KiB a level in whatever is done with a filter, ten times that under AddressSanitizer.
inline constexpr int kMaxFilterDepth = 1000;

// Reads a $filter that has been percent-decoded. White space alone is not a filter (callers skip an empty
// one).
//
//   filter     = or
//   or         = and *( "or" and )
//   and        = unary *( "and" unary )
//   unary      = *( "not" ) primary
//   primary    = "(" or ")" / comparison / operand
//   comparison = operand ("eq" / "ne" / "gt" / "ge" / "lt" / "le") operand
//   operand    = property / literal / "(" operand ")"
//
// Literals: 'text' (a quote doubled), true, false, 42, 42L, 4.5, 1e3, 4.5D, NaN, INF, -INF, datetime'..',
// guid'..', X'00ff', binary'00ff'. An integer without suffix that needs more than 32 bits is an Int64.
// Keywords and prefixes are lower case (but X, L, D, F, M come in both). Operators and prefixes are names of
// properties where an operand stands; true, false, null, not, NaN and INF never are.
//
// Normalises: the property of a comparison stands left, two literals are compared at once, nested and/or of
// the same kind are one node. What TableName is compared with becomes lower case (ASCII): names of tables compare without
// regard to case, so matches() wants the name in lower case, too.
//
// Errors:
//   InvalidInput    "Syntax error at position N in '...'.": N is just behind the offending token, in UTF-16
//                   code units. Nesting too deep is one, where the limit is passed.
//   InvalidInput    "A binary operator with incompatible types was detected. Found operand types
//                   'Edm.String' and 'Edm.Int32' for operator kind 'Equal'.": a declared type meets another
//                   one, or `and`, `or` something that is not Boolean; `not` and the filter as a whole have
//                   words of their own. A syntax error anywhere comes before a complaint about types.
//   InvalidInput    in the service's own sentence: null, a name tables do not have, text that is not UTF-8
//   NotImplemented  function calls, arithmetic, two properties (or a condition with anything) compared
Result<Filter> parse_filter(std::string_view text, FilterTarget target = FilterTarget::Entities);

}  // namespace rocktable
