// Values as values of another type.
#pragma once

#include <optional>

#include "odata/value.h"

namespace rocktable::migration {

// Nothing where the value has no counterpart of that type. Everything becomes text (odata/plain_text.h), and what text says is read again;
// numbers become other numbers where nothing is lost (3.0 becomes 3, and 3.5 no integer); a Boolean is the number 0 or 1.
std::optional<Value> convert(const ValueView& value, EdmType type);

}  // namespace rocktable::migration
