// Waits for the end of standard input. A program that starts the server gives it a pipe and never writes to it. When
// that program ends, even by SIGKILL, the kernel closes the pipe.
#pragma once

#include <functional>
#include <thread>

namespace rocktable {

class InputEnd {
 public:
  // Reads standard input in a thread and discards it. Calls `on_end` once, in that thread, at its end. A file or
  // /dev/null ends at once, a closed standard input as well. Throws std::system_error.
  explicit InputEnd(std::function<void()> on_end);
  // Waits for the thread. Does not wait for the end of standard input.
  ~InputEnd();
  InputEnd(const InputEnd&) = delete;
  InputEnd& operator=(const InputEnd&) = delete;

 private:
  int stop_;  // an eventfd; readable: the thread must end
  std::thread thread_;
};

}  // namespace rocktable
