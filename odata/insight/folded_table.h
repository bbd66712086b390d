// Table names without what differs from day to day or from test to test.
#pragma once

#include <string>
#include <string_view>

namespace rocktable {

// Whether folded_table() changes a name in lower case.
inline bool has_digit(std::string_view table) {
  for (const char c : table)
    if (c >= '0' && c <= '9') return true;
  return false;
}

// The name in lower case, with each run of digits as `#`: tables that are named by a date or a number have one shape.
std::string folded_table(std::string_view table);

}  // namespace rocktable
