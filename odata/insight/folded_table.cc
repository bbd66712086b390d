#include "odata/insight/folded_table.h"

#include "base/text.h"

namespace rocktable {

std::string folded_table(std::string_view table) {
  std::string out;
  for (const char c : table) {
    if (c < '0' || c > '9') {
      out += to_lower_ascii(c);
    } else if (!out.ends_with('#')) {
      out += '#';
    }
  }
  return out;
}

}  // namespace rocktable
