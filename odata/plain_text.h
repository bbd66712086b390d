// Values as text without quotes and type marks, for cells of tables and for keys: `2.5`, `true`,
// `2026-11-21T08:30:00Z`, base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/value.h"

namespace rocktable {

void append_plain_text(std::string& out, const ValueView& value);

// Reads a value of this type. Returns nullopt if any part of the text does not belong to it. Reads what
// append_plain_text writes as the same value; accepts `true` and `false` in any case.
std::optional<Value> parse_plain_text(EdmType type, std::string_view text);

}  // namespace rocktable
