// Invalid command line: the program ends with exit code 2; other failures end with 1.
#pragma once

#include <stdexcept>

namespace rocktable {

class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rocktable
