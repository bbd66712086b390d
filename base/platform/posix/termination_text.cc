#include "base/platform/termination_text.h"

#include <signal.h>  // sigaction
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <utility>

namespace rocktable {
namespace {

constexpr std::array kSignals{SIGINT, SIGTERM, SIGHUP};

// The signal handler must use neither locks nor the heap, so the text is prepared.
std::string notice;                                // does not change while a handler is installed
std::array<struct sigaction, 3> previous_actions;  // NOLINT: likewise

std::atomic_flag is_printed;

// Prints the notice once, restores the default action and raises the signal again. The signal is blocked in
// this thread until the handler returns; then it ends the process. Meanwhile another thread may receive a
// repetition (GNU timeout signals its child and then the process group), or another signal may arrive.
void handle_signal(int number) {
  if (is_printed.test_and_set()) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, notice.data(), notice.size());
  signal(number, SIG_DFL);
  raise(number);
}

}  // namespace

TerminationText::TerminationText(std::string text) {
  notice = std::move(text);
  is_printed.clear();
  struct sigaction action{};
  action.sa_handler = handle_signal;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &previous_actions[i]);
    if (previous_actions[i].sa_handler == SIG_DFL)
      sigaction(kSignals[i], &action, nullptr);  // keeps SIG_IGN, as set by nohup
  }
}

TerminationText::~TerminationText() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &previous_actions[i], nullptr);
}

}  // namespace rocktable
