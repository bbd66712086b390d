#include "odata/insight/folded_table.h"

#include "base/text.h"

namespace rocktable {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the two digits at `place` are a number from `least` to `most`.
bool has_number(std::string_view digits, std::size_t place, int least, int most) {
  const int number = (digits[place] - '0') * 10 + (digits[place + 1] - '0');
  return number >= least && number <= most;
}

bool is_date_of_table(std::string_view digits) {
  if (digits.size() < 4 || digits.size() > 14 || digits.size() % 2 != 0 || !has_number(digits, 0, 19, 20)) return false;
  if (digits.size() == 6) return has_number(digits, 4, 1, 53);  // a month or a week
  if (digits.size() > 6 && !(has_number(digits, 4, 1, 12) && has_number(digits, 6, 1, 31))) return false;
  if (digits.size() > 8 && !has_number(digits, 8, 0, 23)) return false;
  for (std::size_t place = 10; place < digits.size(); place += 2)
    if (!has_number(digits, place, 0, 59)) return false;
  return true;
}

}  // namespace

std::string folded_table(std::string_view table) {
  std::string out;
  for (std::size_t begin = 0; begin < table.size();) {
    std::size_t end = begin;
    while (end < table.size() && is_digit(table[end]) == is_digit(table[begin])) ++end;
    const std::string_view part = table.substr(begin, end - begin);
    out += is_digit(part.front()) && is_date_of_table(part) ? "#" : to_lower_ascii(part);
    begin = end;
  }
  return out;
}

}  // namespace rocktable
