// The effect of each write operation on an entity. Pure: no clock, no store, no lock.
#pragma once

#include <optional>
#include <string>

#include "odata/entity.h"
#include "odata/error.h"
#include "storage/format/entity_codec.h"

namespace rocktable {

enum class WriteKind { Insert, Replace, Merge, Delete };

// The If-Match header: absent, any (`*`), or one ETag.
struct Condition {
  enum class Kind { None, Any, ETag } kind = Kind::None;
  DateTime etag;

  bool operator==(const Condition&) const = default;
};

// One operation of an entity group transaction.
//
//   Insert   ignores the condition
//   Replace  without condition inserts a missing entity (insert-or-replace); with one, refuses it
//   Merge    likewise (insert-or-merge)
//   Delete   needs a condition
struct Mutation {
  WriteKind kind;
  std::string row_key;
  Condition condition;
  EncodedProperties properties;  // empty for Delete
};

// Applies `write` to the previous entity. Returns the properties to store, or null to delete the entity. The
// result points to the properties of `write` or, if it differs from them, to `scratch`.
//
// Insert keeps the order of the request. Every other write sorts the properties by name, as the service does.
// Merge replaces or extends the previous properties by those of the request.
//
// Errors: EntityAlreadyExists, ResourceNotFound, UpdateConditionNotSatisfied. If the result of a merge
// exceeds the limits: TooManyProperties, EntityTooLarge.
Result<const EncodedProperties*> apply(const Mutation& write, std::string_view partition_key,
                                       const std::optional<EntityView>& previous, EncodedProperties& scratch);

// Returns whether apply() uses the previous entity. An insert-or-replace does not, so the entity is not read.
bool needs_previous(const Mutation& write);

}  // namespace rocktable
