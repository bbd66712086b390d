// Values as plain text, and as values of another type.
#pragma once

#include <optional>
#include <string>

#include "odata/value.h"

namespace rocktable::migration {

// As in JSON, without quotes: a time as 2026-11-21T08:30:00Z, bytes in Base64.
std::string plain_text(const ValueView& value);

// Nothing where the value has no counterpart of that type. Everything becomes text, and what text says is read again;
// numbers become other numbers where nothing is lost (3.0 becomes 3, and 3.5 no integer); a Boolean is the number 0 or 1.
std::optional<Value> convert(const ValueView& value, EdmType type);

}  // namespace rocktable::migration
