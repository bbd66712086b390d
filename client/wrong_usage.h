// What a command line asks for makes no sense: exit code 2, where other failures have 1.
#pragma once

#include <stdexcept>

namespace rocktable {

class WrongUsage : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace rocktable
