// The kinds of operations that the price list of the service has.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rocktable {

// As the price list names them: `Write Operations`, `Batch Write Operations`, `Read Operations`, `Scan Operations`,
// `List Operations`, `Delete Operations`.
enum class OperationKind : std::uint8_t { Write, BatchWrite, Read, Scan, List, Delete };

// `write`, `batchWrite`, `read`, `scan`, `list`, `delete`: in the order of the kinds.
inline constexpr std::array<std::string_view, 6> kOperationKindNames = {"write", "batchWrite", "read",
                                                                        "scan",  "list",       "delete"};

// The kind of an operation by its name in reports. Returns nullopt for others, such as `Refused` and `*`.
//
// No page of the service says which operation is of which kind. Here a point read is a read, and QueryEntities, also
// one that names both keys, is a scan, which is the more expensive one.
std::optional<OperationKind> kind_of_operation(std::string_view operation);

}  // namespace rocktable
