// Prints a message when a signal ends a command.
#pragma once

#include <string>

#include "base/platform/termination_text.h"

namespace rocktable {

// While an instance exists, a signal that ends the process prints `sentence` before (base/platform/termination_text.h).
// Only one instance may exist at a time.
class InterruptionNotice {
 public:
  explicit InterruptionNotice(const std::string& sentence);

 private:
  TerminationText text_;
};

}  // namespace rocktable
