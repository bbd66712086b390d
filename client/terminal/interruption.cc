#include "client/terminal/interruption.h"

#include <signal.h>  // sigaction
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "client/terminal/terminal.h"
#include "odata/printable.h"

namespace rocktable {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// For the handler, which may use neither locks nor the heap.
std::string notice;                      // NOLINT: does not change while a handler is set
std::array<struct sigaction, 3> before;  // NOLINT: likewise

std::atomic_flag told;

// The signal comes again, and ends the process, once this returns: while it runs, this thread blocks the signal. Another
// thread may take a repetition (GNU timeout signals its child, and then the group that the child is in), or another signal may
// come in between: the sentence is told once.
void tell(int number) {
  if (told.test_and_set()) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, notice.data(), notice.size());
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

InterruptionNotice::InterruptionNotice(const std::string& sentence) {
  // Where a bar stands, it goes; `^C` goes with it.
  notice = (is_terminal() ? "\r\x1B[K" : "") + ("rocktable: " + printable(sentence)) + "\n";
  told.clear();
  struct sigaction action{};
  action.sa_handler = tell;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &before[i]);
    if (before[i].sa_handler == SIG_DFL) sigaction(kSignals[i], &action, nullptr);  // nohup stays in force
  }
}

InterruptionNotice::~InterruptionNotice() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &before[i], nullptr);
}

}  // namespace rocktable
