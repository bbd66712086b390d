// The table of operations, one row each. A new operation starts with a type in operation.h; then it needs a
// row here and a handler (Handlers in server/service.cc). Without either it does not compile.
#pragma once

#include <optional>
#include <string_view>

#include "server/request/caller.h"
#include "server/request/operation.h"

namespace rocktable {

struct OperationRow {
  std::string_view name;  // in statistics and explanations
  bool is_write;
  // What a shared access signature must grant. nullopt: depends on the operation's arguments, or on its body.
  std::optional<RequiredAccess> access;
};

const OperationRow& row_of(const Operation& operation);

// The service's name of a write, which is `WriteEntity` in statistics: `UpdateEntity`, `InsertOrMergeEntity` and so on.
std::string_view name_of_write(WriteKind kind, const Condition& condition);

}  // namespace rocktable
