// The $filter tree: what a query asks of each entity.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "odata/entity.h"
#include "odata/value.h"

namespace rocktable {

enum class ComparisonOperator { Eq, Ne, Gt, Ge, Lt, Le };

struct Filter;

// A property against a literal; the parser has put the property on the left.
struct Comparison {
  std::string property;
  ComparisonOperator op;
  Value literal;
};

// A property alone: true where it exists, is Boolean, and is true.
struct BooleanProperty {
  std::string property;
};

struct Constant {
  bool value;
};

// Two terms at least; nested Ands (Ors) of the text are one.
struct And {
  std::vector<Filter> terms;
};

struct Or {
  std::vector<Filter> terms;
};

struct Not {
  std::unique_ptr<Filter> term;
};

struct Filter {
  std::variant<Constant, Comparison, BooleanProperty, And, Or, Not> node;
};

// `(or (eq a 1) (and (eq b 2) (not (prop c))))`, literals as $filter writes them, constants `true` and
// `false`.
std::string to_string(const Filter& filter);
std::string_view to_string(ComparisonOperator op);

// Whether a stored value stands in this relation to a literal.
//
//   same type      natural order; strings by UTF-16 code unit, binaries by unsigned byte, Guids by their
//                  text; NaN is unequal to all
//   wider property the literal widens: Int32 to Int64 or Double, Int64 to Double
//   anything else  the types do not match: the stored value behaves as if it were smaller than the literal
//
// Source: measured on the service by others; the documentation asks for constants of the property's own type.
bool compare(const ValueView& stored, ComparisonOperator op, const ValueView& literal);

// Whether the entity satisfies the filter. A comparison with a property that the entity does not have is
// false, `ne` included, and `not` turns that into true: there is no third truth value. Does not allocate: it
// runs per scanned row.
bool matches(const Filter& filter, const EntityView& entity);

}  // namespace rocktable
