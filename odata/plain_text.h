// Values as text without quotes or marks of their type, as cells of tables and keys hold them: `2.5`, `true`,
// `2026-11-21T08:30:00Z`, base64.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/value.h"

namespace rocktable {

void append_plain_text(std::string& out, const ValueView& value);

// All of the text must be of the value; nothing where it is of no value of that type. What append_plain_text writes reads
// as the same value; `true` and `false` may be in any case.
std::optional<Value> parse_plain_text(EdmType type, std::string_view text);

}  // namespace rocktable
