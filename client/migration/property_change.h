// Changes of one property of an entity. Applying a change again has no effect, so interrupted work can be
// repeated.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>

#include "odata/entity.h"

namespace rocktable::migration {

// Adds the property at the end, if it is missing.
struct AddProperty {
  std::string name;
  Value value;
};

// Keeps position and value. An entity with both names is an error.
struct RenameProperty {
  std::string from, to;
};

struct RemoveProperty {
  std::string name;
};

// Converts the value by convert() (value_conversion.h); a value that cannot be converted is an error.
struct RetypeProperty {
  std::string name;
  EdmType type;
};

using PropertyChange = std::variant<AddProperty, RenameProperty, RemoveProperty, RetypeProperty>;

// what() is a sentence about the entity that cannot be changed.
class PropertyChangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Returns whether anything changed. Throws PropertyChangeError.
bool apply(const PropertyChange& change, Properties& properties);

// `add property Country = 'NL'`
std::string to_string(const PropertyChange& change);

}  // namespace rocktable::migration
