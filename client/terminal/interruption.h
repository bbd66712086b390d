// What a command leaves to say when a signal ends it.
#pragma once

#include <string>

namespace rocktable {

// While it lives, SIGINT, SIGTERM and SIGHUP put the sentence on standard error before they end the process, as they would
// without it. One at a time.
class InterruptionNotice {
 public:
  explicit InterruptionNotice(const std::string& sentence);
  ~InterruptionNotice();
  InterruptionNotice(const InterruptionNotice&) = delete;
  InterruptionNotice& operator=(const InterruptionNotice&) = delete;
};

}  // namespace rocktable
