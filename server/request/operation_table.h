// The table of operations, one row each. A new operation starts with a type in operation.h; then it needs a
// row here and a handler (Handlers in server/service.cc). Without either it does not compile.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

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

// Whether this is one of the names that name_of_write() returns for the operation `WriteEntity`.
bool is_name_of_write(std::string_view name);

// The names of all operations, then those of name_of_write().
const std::vector<std::string_view>& operation_names();

}  // namespace rocktable
