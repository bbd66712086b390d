// Writes a text when a signal, or the user, ends the process.
#pragma once

#include <string>

namespace rocktable {

// While an instance exists, SIGINT, SIGTERM and SIGHUP (on Windows Ctrl-C, Ctrl-Break and the end of the window) write
// the text on standard error and then end the process as usual. Only one instance may exist at a time.
class TerminationText {
 public:
  explicit TerminationText(std::string text);
  ~TerminationText();
  TerminationText(const TerminationText&) = delete;
  TerminationText& operator=(const TerminationText&) = delete;
};

}  // namespace rocktable
