// Prints a message when a signal ends a command.
#pragma once

#include <string>

namespace rocktable {

// While an instance exists, SIGINT, SIGTERM and SIGHUP print `sentence` on standard error and then end the
// process as usual. Only one instance may exist at a time.
class InterruptionNotice {
 public:
  explicit InterruptionNotice(const std::string& sentence);
  ~InterruptionNotice();
  InterruptionNotice(const InterruptionNotice&) = delete;
  InterruptionNotice& operator=(const InterruptionNotice&) = delete;
};

}  // namespace rocktable
