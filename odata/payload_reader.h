// JSON bodies of requests to types.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

// An entity as a client sent it. A key is absent where the body has none (or null): an insert needs both,
// other writes have them in the URL.
struct EntityPayload {
  std::optional<std::string> partition_key;
  std::optional<std::string> row_key;
  Properties properties;  // in the order sent, nulls dropped, values normalised; key, Timestamp and
                          // annotations are not among them
};

// Reads the JSON object of an insert, update or merge. An empty body reads as `{}`.
//
// The type of a property is that of its annotation `name@odata.type` (before or behind it), else: text is
// Edm.String, true/false Edm.Boolean, a number without point and exponent Edm.Int32, with one of them
// Edm.Double. `odata.*` members, annotations without property, and Timestamp are ignored. An annotated number
// or Boolean may come as text. A byte order mark is not JSON.
//
// Checked here, in this order: JSON, the number of properties (252, nulls not counted), names, names given
// twice, types and values, keys are text. Not checked here: all that check_entity checks (for the keys may
// stand in the URL), with it the range of dates: years 0001 to 1600 are read.
//
// Errors: InvalidInput (not a JSON object, nested values, a value that its type cannot hold, an unknown type,
// a key that is not text); TooManyProperties; PropertyNameTooLong; PropertyNameInvalid;
// DuplicatePropertiesSpecified (annotations given twice included).
Result<EntityPayload> read_entity(std::string_view json);

// The name in `{"TableName":"mytable"}`, unchecked. Errors: InvalidInput (not a JSON object, or TableName is
// missing or not text).
Result<std::string> read_table_name(std::string_view json);

}  // namespace rocktable
