// Waits for the end of standard input. A program that starts the server gives it a pipe and never writes to it. When
// that program ends, even if it is killed, the system closes the pipe.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

namespace rocktable {

class InputEnd {
 public:
  // Reads standard input in a thread and discards it. Calls `on_end` once, in that thread, at its end. A file or
  // the null device ends at once, a closed standard input as well. Throws std::system_error.
  explicit InputEnd(std::function<void()> on_end);
  // Waits for the thread. Does not wait for the end of standard input.
  ~InputEnd();
  InputEnd(const InputEnd&) = delete;
  InputEnd& operator=(const InputEnd&) = delete;

 private:
  std::intptr_t stop_;  // a handle that tells the thread to end
  std::thread thread_;
};

}  // namespace rocktable
