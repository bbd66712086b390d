// Table names without what differs from day to day.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rocktable {

// Whether folded_table() may change a name in lower case: it has a run of digits that is long enough for a year.
inline bool may_hold_date(std::string_view table) {
  std::size_t digits = 0;
  for (const char c : table) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits == 4) return true;
  }
  return false;
}

// The name in lower case, with each date as `#`, so that the tables of a table-per-day design have one shape. A date is
// a run of digits that begins with a year (19yy, 20yy) and goes on with nothing, a month or week, a day, and the time:
// `2026`, `202611`, `20261121`, `2026112107`. Other numbers are a part of the name: `table1` is not `table2`.
std::string folded_table(std::string_view table);

}  // namespace rocktable
