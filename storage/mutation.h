// What each write operation does to the entity that was there. Pure: no clock, no store, no lock.
#pragma once

#include <optional>
#include <string>

#include "odata/entity.h"
#include "odata/error.h"

namespace rocktable {

enum class WriteKind { Insert, Replace, Merge, Delete };

// If-Match: absent, any (`*`), or one ETag.
struct Condition {
  enum class Kind { None, Any, ETag } kind = Kind::None;
  DateTime etag;

  bool operator==(const Condition&) const = default;
};

// One operation of an entity group transaction. Replace and Merge without condition insert what is absent
// (insert-or-replace, insert-or-merge); with one they update, and what is absent is refused. Insert ignores
// the condition, Delete needs one.
struct Mutation {
  WriteKind kind;
  std::string row_key;
  Condition condition;
  Properties properties;  // empty for Delete
};

// The properties to store, or nothing to delete the entity.
//
// Insert keeps the order of the request; every other write leaves the properties sorted by name, as the
// service does. Merge puts the properties of the request over those that were there.
//
// Errors: EntityAlreadyExists, ResourceNotFound, UpdateConditionNotSatisfied; TooManyProperties and
// EntityTooLarge where a merge outgrows the limits.
Result<std::optional<Properties>> apply(const Mutation& write, std::string_view partition_key,
                                        const std::optional<EntityView>& previous);

// Whether `apply` looks at the entity that was there: an insert-or-replace does not, so it is not read.
bool needs_previous(const Mutation& write);

}  // namespace rocktable
