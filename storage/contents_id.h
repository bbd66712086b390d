// Which contents a store has: a random text that a store gets when it is made, and a new one each time that something is
// emptied or a snapshot restored. Who has written to a store, and goes on later, compares it: an equal one says that what
// was written then was deleted by nothing but requests of the table service.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// 128 random bits, as 32 hex digits.
std::string new_contents_id();

// Whether a row of the catalog holds what new_contents_id() makes.
bool is_contents_id(std::string_view text);

}  // namespace rocktable
