// The id of a table. It never repeats, so that rows of a deleted table never belong to another one.
#pragma once

#include <cstdint>

namespace rocktable {

enum class TableId : std::uint64_t {};

constexpr TableId operator+(TableId first, std::uint64_t offset) {
  return TableId{static_cast<std::uint64_t>(first) + offset};
}

}  // namespace rocktable
