#include "base/platform/stop_requests.h"

#include <atomic>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

constexpr UINT kEndedByControlC = 0xC000013A;  // STATUS_CONTROL_C_EXIT

std::atomic<std::int64_t> first_request_at = 0;  // milliseconds since the start of the system; 0: none has come
std::atomic<HANDLE> requested = nullptr;

// The system calls this in a thread of its own.
BOOL WINAPI take_request(DWORD kind) {
  const auto at = static_cast<std::int64_t>(GetTickCount64());
  std::int64_t first = 0;
  if (first_request_at.compare_exchange_strong(first, at)) {
    SetEvent(requested);
  } else if (kind <= CTRL_BREAK_EVENT && at - first > kSameRequest.count()) {
    TerminateProcess(GetCurrentProcess(), kEndedByControlC);
  }
  // When this returns, the system ends the process. It waits for some seconds before it does so anyway.
  if (kind > CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

StopRequests::StopRequests() : event_(reinterpret_cast<std::intptr_t>(CreateEventW(nullptr, TRUE, FALSE, nullptr))) {
  if (event_ == 0) fail_with_last_error("cannot wait for signals");
  first_request_at = 0;
  requested = reinterpret_cast<HANDLE>(event_);
  if (SetConsoleCtrlHandler(take_request, TRUE) == 0) fail_with_last_error("cannot wait for signals");
}

// A repetition may come after all work is done. It must not change how the process ends. So the event stays, too.
StopRequests::~StopRequests() {
  if (first_request_at != 0) return;
  SetConsoleCtrlHandler(take_request, FALSE);
  CloseHandle(requested.exchange(nullptr));
}

bool StopRequests::is_asked() const {
  return WaitForSingleObject(reinterpret_cast<HANDLE>(event_), 0) == WAIT_OBJECT_0;
}

std::intptr_t StopRequests::event() const {
  return reinterpret_cast<std::intptr_t>(duplicate(reinterpret_cast<HANDLE>(event_), false).release());
}

}  // namespace rocktable
