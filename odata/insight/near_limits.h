// From where on an entity is near a limit of the service: 80 % of it.
#pragma once

#include <cstddef>

#include "odata/entity.h"

namespace rocktable {

inline constexpr std::size_t kManyEntityBytes = kMaxEntityBytes / 10 * 8;  // entity_size()
inline constexpr std::size_t kManyProperties = kMaxProperties * 8 / 10;
inline constexpr std::size_t kLongKey = kMaxKeyLength * 8 / 10;  // UTF-16 code units

}  // namespace rocktable
