// Changes of one property of an entity. Each may be applied again and changes nothing the second time, so that work that
// was interrupted can begin anew.
#pragma once

#include <stdexcept>
#include <string>
#include <variant>

#include "odata/entity.h"

namespace rocktable::migration {

// Where it is missing, it is added at the end.
struct AddProperty {
  std::string name;
  Value value;
};

// It keeps its place and value. An entity that has the new name already is an error, unless it lacks the old one.
struct RenameProperty {
  std::string from, to;
};

struct RemoveProperty {
  std::string name;
};

// The value as convert() has it; a value that has no counterpart is an error.
struct RetypeProperty {
  std::string name;
  EdmType type;
};

using PropertyChange = std::variant<AddProperty, RenameProperty, RemoveProperty, RetypeProperty>;

// A sentence about the entity that cannot be changed.
class PropertyChangeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Whether there was anything to change. Throws PropertyChangeError.
bool apply(const PropertyChange& change, Properties& properties);

// `add property Country = 'NL'`
std::string to_string(const PropertyChange& change);

}  // namespace rocktable::migration
