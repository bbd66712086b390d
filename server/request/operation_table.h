// The table of operations: what every layer asks of one. Its handler is found by its type (server/service.cc), so that an
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
  // What a shared access signature must grant. Nothing: it depends on the operation's arguments, or on its body.
  std::optional<RequiredAccess> access;
};

const OperationRow& row_of(const Operation& operation);

}  // namespace rocktable
