// Starts processes, and lets the system end them with this one.
#pragma once

#include <string>
#include <utility>

#include "base/platform/windows/system/command_line.h"
#include "base/platform/windows/system/windows_api.h"

namespace rocktable {

constexpr UINT kKilled = 137;  // the exit code of what is killed, as shells on POSIX say it

// The standard streams of a child. The handles can be inherited.
struct Streams {
  Handle input, output, error;

  static Streams of_this_process();
};

// Starts a process that waits until its thread is resumed. It inherits its streams and `further`, which may be null. On
// failure the handles are null, and the last error is set.
PROCESS_INFORMATION create_process(const WindowsCommand& command, const Streams& streams, HANDLE further,
                                   std::wstring environment, DWORD flags);

// The ends to read and to write. Throws std::system_error.
std::pair<Handle, Handle> make_pipe();

// Ends its processes when its last handle is closed, so also when this process is killed. Throws std::system_error.
Handle make_job();

}  // namespace rocktable
