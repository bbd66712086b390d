// The $filter tree: the condition that a query evaluates for each entity.
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

// Compares a property with a literal. The parser puts the property on the left.
struct Comparison {
  std::string property;
  ComparisonOperator op;
  Value literal;
};

// A property as a condition: true if the property exists, is Boolean, and is true.
struct BooleanProperty {
  std::string property;
};

struct Constant {
  bool value;
};

// Has at least two terms. The parser merges nested Ands (and nested Ors) into one node.
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

// Writes `(or (eq a 1) (and (eq b 2) (not (prop c))))`. Literals have the form of $filter, constants are
// `true` and `false`.
std::string to_string(const Filter& filter);
std::string_view to_string(ComparisonOperator op);

// Returns whether a stored value is in this relation to a literal.
//
//  same type      natural order; strings by UTF-16 code unit, binaries by unsigned byte, Guids by their
//                 text; NaN is unequal to all
//  wider property the literal is converted: Int32 to Int64 or Double, Int64 to Double
//  anything else  the types do not match: the stored value compares as smaller than the literal
//
// Source: measured on the service by others. The documentation asks for literals of the property's own type.
bool compare(const ValueView& stored, ComparisonOperator op, const ValueView& literal);

// What a filter asks of an entity: a property or system property by name, or nullopt if the entity has none
// of that name.
class PropertyLookup {
 public:
  virtual std::optional<ValueView> find(std::string_view name) const = 0;

 protected:
  ~PropertyLookup() = default;
};

// Returns whether the entity satisfies the filter. A comparison with a property that the entity does not have
// is false, for `ne` too, and `not` turns that into true: there is no third truth value. Does not allocate,
// because it runs for each scanned row.
bool matches(const Filter& filter, const PropertyLookup& entity);
bool matches(const Filter& filter, const EntityView& entity);

}  // namespace rocktable
