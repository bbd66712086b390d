#include "base/platform/environment.h"

#include <unistd.h>

#include <string_view>

namespace rocktable {

std::vector<std::string> environment_names() {
  std::vector<std::string> out;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    out.emplace_back(text.substr(0, text.find('=')));
  }
  return out;
}

}  // namespace rocktable
