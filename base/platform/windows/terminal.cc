#include "base/platform/terminal.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

HANDLE handle_of_stream(StandardStream stream) {
  constexpr DWORD kHandles[] = {STD_INPUT_HANDLE, STD_OUTPUT_HANDLE, STD_ERROR_HANDLE};
  return GetStdHandle(kHandles[static_cast<int>(stream)]);
}

void write_now(HANDLE stream, std::string_view text) {
  DWORD count = 0;
  WriteFile(stream, text.data(), static_cast<DWORD>(text.size()), &count, nullptr);
}

// Writes to a pipe in a thread of its own, because the system does not say whether a pipe is full. What is waiting is
// bounded; what does not fit is dropped.
class PipeWriter {
 public:
  explicit PipeWriter(HANDLE pipe) : pipe_(pipe) {
    std::thread([this] { run(); }).detach();
  }

  void write(std::string_view text) {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + text.size() > kMaxWaiting) return;
    waiting_.append(text);
    changed_.notify_all();
  }

  // Waits until all is written, but not for a reader that does not read.
  void finish() {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kPatience, [this] { return waiting_.empty() && !is_writing_; });
  }

 private:
  static constexpr std::size_t kMaxWaiting = 64 << 10;
  static constexpr std::chrono::milliseconds kPatience{200};

  void run() {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return !waiting_.empty(); });
      const std::string text = std::exchange(waiting_, {});
      is_writing_ = true;
      lock.unlock();
      write_now(pipe_, text);
      lock.lock();
      is_writing_ = false;
      changed_.notify_all();
    }
  }

  const HANDLE pipe_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string waiting_;
  bool is_writing_ = false;
};

// Never destroyed, because its thread never ends.
PipeWriter& writer_of(HANDLE pipe) {
  static PipeWriter* const writer = [pipe] {
    static PipeWriter* const made = new PipeWriter(pipe);
    std::atexit([] { made->finish(); });
    return made;
  }();
  return *writer;
}

}  // namespace

bool is_terminal(StandardStream stream) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of_stream(stream), &mode) != 0;
}

int columns_of(StandardStream stream) {
  constexpr int kUsual = 80;
  CONSOLE_SCREEN_BUFFER_INFO info{};
  if (GetConsoleScreenBufferInfo(handle_of_stream(stream), &info) == 0) return kUsual;
  return std::max(info.srWindow.Right - info.srWindow.Left + 1, 1);
}

void write_if_ready(StandardStream stream, std::string_view text) {
  const HANDLE handle = handle_of_stream(stream);
  const std::string_view start = text.substr(0, kMaxReadyBytes);
  if (GetFileType(handle) == FILE_TYPE_PIPE) {
    writer_of(handle).write(start);
  } else {
    write_now(handle, start);
  }
}

}  // namespace rocktable
