// Header fields made of the lines of a fuzzer's input.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "odata/protocol/headers.h"

namespace rocktable {

// The fields in the lines from `first` on: `Name: value`, or a name alone.
inline Headers headers_of(const std::vector<std::string>& lines, std::size_t first) {
  Headers out;
  for (std::size_t i = first; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const auto colon = std::min(line.find(':'), line.size());
    out.add(line.substr(0, colon), trim(line.substr(std::min(colon + 1, line.size()))));
  }
  return out;
}

}  // namespace rocktable
