// Converts entities between file formats, for the page that imports and exports: one implementation of the formats, so
// that its files are those of `rocktable export`.
#pragma once

#include "server/control/control_state.h"
#include "server/request/response.h"

namespace rocktable {

// The body is text in the format `from`. Answers {"text": ..., "lines": [1, 2, 4], "names": ["Age", ...], "error":
// null}: the entities in the format `to`, the line at which each begins in the body, the names of their properties in
// the order first seen, and what is wrong at the first line that is no entity: {"line": 5, "column": 1, "message":
// "..."}. The entities before it are converted.
Response handle_convert(const ControlState& state, const ControlArguments& arguments);

}  // namespace rocktable
