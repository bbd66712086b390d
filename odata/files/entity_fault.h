// Why an entity is refused, in sentences that name the property: for files, whose authors read them. The rules are
// those of odata/entity.h.
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"

namespace rocktable {

struct EntityFault {
  std::string member;  // whose value is at fault; empty: the entity as a whole
  std::string sentence;
};

// Of an entity that check_entity refuses.
EntityFault explain_entity(const EntityKey& key, const Properties& properties);

// Of a name that check_property_name refuses.
std::string explain_name(std::string_view name);

// `the value of "Age" is no Int32`
std::string explain_value(std::string_view name, EdmType type);

// A text between double quotes, shortened, and printable (odata/printable.h). The text is UTF-8.
std::string shown(std::string_view text);

// The type without `Edm.`.
std::string_view short_name(EdmType type);

}  // namespace rocktable
