// Converts values to another type.
#pragma once

#include <optional>

#include "odata/value.h"

namespace rocktable::migration {

// Returns nullopt if the value has no equivalent of that type. Every value converts to a string
// (odata/plain_text.h), and a string is parsed. Numbers convert to other numbers without loss (3.0 to 3, but
// 3.5 to no integer). A Boolean converts to and from 0 and 1.
std::optional<Value> convert(const ValueView& value, EdmType type);

}  // namespace rocktable::migration
