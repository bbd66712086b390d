// Changes of one property of an entity. Applying a change again has no effect, so interrupted work can be
// repeated.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>

#include "client/migration/missing_rule.h"
#include "odata/entity.h"

namespace rocktable::migration {

// Adds the property at the end, if it is missing.
struct AddProperty {
  std::string name;
  Value value;
};

// Keeps position and value. An entity with both names is an error. One with neither is handled by `missing`;
// a default value gets the new name.
struct RenameProperty {
  std::string from, to;
  MissingRule missing = {OnMissing::Skip, {}};
};

struct RemoveProperty {
  std::string name;
};

// Converts the value by convert() (value_conversion.h); a value that cannot be converted is an error. A
// default value has the new type.
struct RetypeProperty {
  std::string name;
  EdmType type;
  MissingRule missing = {OnMissing::Skip, {}};
};

using PropertyChange = std::variant<AddProperty, RenameProperty, RemoveProperty, RetypeProperty>;

// what() is a sentence about the entity that cannot be changed.
class PropertyChangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns whether anything changed. An entity that lacks the property stays as it is, unless its rule has a
// default value. Throws PropertyChangeError.
bool apply(const PropertyChange& change, Properties& properties);

// The property that the change renames or converts, if the entity lacks it and there is no default value.
// nullptr: nothing is missing.
const std::string* missing_in(const PropertyChange& change, const Properties& properties);

// The rule of a change that renames or converts; nullptr for the others.
const MissingRule* missing_rule_of(const PropertyChange& change);

// `add property Country = 'NL'`
std::string to_string(const PropertyChange& change);

}  // namespace rocktable::migration
