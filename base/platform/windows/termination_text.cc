#include "base/platform/termination_text.h"

#include <atomic>
#include <utility>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

std::string last_words;  // does not change while the handler is installed
std::atomic_flag is_written;

// Returns FALSE, so that the system ends the process.
BOOL WINAPI write_last_words(DWORD /*kind*/) {
  DWORD count = 0;
  if (!is_written.test_and_set())
    WriteFile(GetStdHandle(STD_ERROR_HANDLE), last_words.data(), static_cast<DWORD>(last_words.size()), &count,
              nullptr);
  return FALSE;
}

}  // namespace

TerminationText::TerminationText(std::string text) {
  last_words = std::move(text);
  is_written.clear();
  SetConsoleCtrlHandler(write_last_words, TRUE);
}

TerminationText::~TerminationText() { SetConsoleCtrlHandler(write_last_words, FALSE); }

}  // namespace rocktable
