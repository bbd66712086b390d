// Reads the JSON bodies of requests.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

// An entity as a client sent it. A key is nullopt if the body has none (or null): an insert needs both, for
// other writes the URL has them.
struct EntityPayload {
  std::optional<std::string> partition_key;
  std::optional<std::string> row_key;
  Properties properties;  // in the order sent, without nulls; values normalised; keys, Timestamp and
                          // annotations are not included
  std::string etag;       // the member odata.etag; empty if there is none
  // A key has a type other than Edm.String. An insert refuses it, other writes ignore it.
  bool has_typed_key = false;
};

// The same without copies. Valid until this thread reads the next body, and as long as `memory` lives.
struct EntityPayloadView {
  std::optional<std::string_view> partition_key;
  std::optional<std::string_view> row_key;
  std::span<const PropertyView> properties;
  std::string_view etag;
  bool has_typed_key = false;
  std::shared_ptr<const void> memory;  // of a large body; the memory of other bodies belongs to the thread
};

// What the service says of a body, or of a part of a batch, that it cannot read. The code is InvalidInput.
Error unreadable_body();

// Reads the JSON object of an insert, update or merge.
//
// The annotation `name@odata.type` (before or after the property) gives the type of a property. Without
// annotation, text is Edm.String, true/false Edm.Boolean, a number without point and exponent Edm.Int32 if 32 bits
// hold it, any other number Edm.Double. Ignores other `odata.*` members, annotations without property, and
// Timestamp. Accepts text for annotated numbers and Booleans. A byte order mark is not JSON.
//
// Checks, in this order: JSON, the number of properties (252, nulls not counted), names, duplicate names,
// types and values. Does not make the checks of check_entity, because the URL may contain the keys. So it accepts
// dates of the years 0001 to 1600.
//
// Errors: unreadable_body() (empty, not a JSON object, nested values, a value that its type cannot hold, an unknown
// type); TooManyProperties; PropertyNameTooLong; PropertyNameInvalid; DuplicatePropertiesSpecified (also for
// duplicate annotations).
Result<EntityPayload> read_entity(std::string_view json);
Result<EntityPayloadView> read_entity_view(std::string_view json);

// Returns the name in `{"TableName":"mytable"}`, unchecked. Errors: unreadable_body() (empty, or not a JSON object);
// InvalidInput "One of the request inputs is not valid." (TableName is missing or not text).
Result<std::string> read_table_name(std::string_view json);

}  // namespace rocktable
