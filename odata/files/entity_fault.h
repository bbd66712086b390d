// Explains why an entity in a file is refused, in sentences that name the property and are for the author of
// the file. The rules are those of odata/entity.h.
#pragma once

#include <string>
#include <string_view>

#include "odata/entity.h"

namespace rocktable {

struct EntityFault {
  std::string member;  // the member whose value is at fault; empty for the entity as a whole
  std::string sentence;
};

// Explains an entity that check_entity refuses.
EntityFault explain_entity(const EntityKey& key, const Properties& properties);

// Explains a name that check_property_name refuses.
std::string explain_name(std::string_view name);

// Writes `the value of "Age" is not an Int32`.
std::string explain_value(std::string_view name, EdmType type);

// Writes a text in double quotes, shortened, and printable (base/printable.h). The text must be UTF-8.
std::string quoted_for_message(std::string_view text);

// Returns the type without `Edm.`.
std::string_view short_name(EdmType type);

}  // namespace rocktable
