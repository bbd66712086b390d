// Requests to stop in order: SIGINT and SIGTERM; on Windows Ctrl-C, Ctrl-Break and the end of the window, of the
// session and of the system.
#pragma once

#include <chrono>
#include <cstdint>

namespace rocktable {

// A second request within this time repeats the same one: GNU timeout signals its child, and then the process group of
// the child. A person who presses Ctrl-C again is slower.
inline constexpr std::chrono::milliseconds kSameRequest{500};

// Handles the requests from its construction on. The first one makes event() ready. A later one, after kSameRequest,
// ends the process at once. The destructor restores the former handling if no request came; else this one stays until
// the process ends. At most one object may exist.
class StopRequests {
 public:
  // Throws std::system_error.
  StopRequests();
  ~StopRequests();
  StopRequests(const StopRequests&) = delete;
  StopRequests& operator=(const StopRequests&) = delete;

  bool is_asked() const;

  // A handle that the caller closes. With the first request it becomes readable (POSIX: a descriptor) or signalled
  // (Windows: an event).
  std::intptr_t event() const;

 private:
  std::intptr_t event_;
};

}  // namespace rocktable
