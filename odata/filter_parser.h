// $filter text to tree.
#pragma once

#include <string_view>

#include "odata/error.h"
#include "odata/filter.h"

namespace rocktable {

// What the filter applies to. It decides which names have a declared type.
enum class FilterTarget {
  Entities,  // PartitionKey and RowKey are Edm.String, Timestamp is Edm.DateTime, all else is open
  Tables,    // TableName is Edm.String, no other name exists
};

// The largest nesting of parentheses and `not` in a filter. The parser refuses deeper ones, because recursion
// needs stack: about 0.2 KiB per level in each function that walks a filter, ten times that under
// AddressSanitizer.
inline constexpr int kMaxFilterDepth = 1000;

// Reads a percent-decoded $filter. Blank text is not a filter (callers skip an empty one).
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
// guid'..', X'00ff', binary'00ff'. An integer without suffix must be an Int32.
// Keywords and prefixes are in lower case, except that X, L, D, F, M may have either case. Where an operand
// is expected, operators and prefixes are property names; true, false, null, not, NaN and INF never are.
//
// Normalises: puts the property of a comparison on the left, evaluates comparisons of two literals, and
// merges nested and/or of the same kind into one node. Converts literals that TableName is compared with to
// lower case (ASCII), because table names compare without regard to case. The names passed to matches() must
// be in lower case, too.
//
// Errors:
//  InvalidInput    "Syntax error at position N in '...'.": N is the end of the offending token, in UTF-16
//                  code units. Also for nesting that is too deep, at the position that exceeds the limit.
//  InvalidInput    invalid_character(), unterminated_string(), unrecognized_literal() (odata/syntax_error.h): a
//                  character that begins no token, a string that does not end, and a literal that its type
//                  cannot hold, such as an integer of more than 32 bits without L
//  InvalidInput    "A binary operator with incompatible types was detected. Found operand types
//                  'Edm.String' and 'Edm.Int32' for operator kind 'Equal'.": an operand has a declared type
//                  and the other operand has another one, or an operand of `and` or `or` is not Boolean.
//                  `not` and the filter as a whole have sentences of their own. A syntax error anywhere
//                  takes precedence over errors of types.
//  InvalidInput    with the service's default sentence: null, a name that tables do not have, text that is
//                  not UTF-8
//  NotImplemented  function calls, arithmetic, a comparison of two properties or of a condition
Result<Filter> parse_filter(std::string_view text, FilterTarget target = FilterTarget::Entities);

}  // namespace rocktable
