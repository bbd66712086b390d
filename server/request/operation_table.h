// The table of operations. The handler of an operation is found by its type (Handlers in server/service.cc), so that an
// operation without a handler does not compile.
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

}  // namespace rocktable
