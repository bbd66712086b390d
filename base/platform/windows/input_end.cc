#include "base/platform/input_end.h"

#include <atomic>
#include <memory>
#include <utility>

#include "base/platform/windows/system/windows_api.h"

namespace rocktable {
namespace {

constexpr DWORD kCancelInterval = 10;  // milliseconds
constexpr int kCancelTries = 50;

// Of both threads: one may be left behind in the system.
struct Reader {
  Handle thread;
  std::function<void()> on_end;
  std::atomic<bool> is_stopped = false;
};

void read_to_end(Reader& reader) {
  const HANDLE input = GetStdHandle(STD_INPUT_HANDLE);
  char ignored[4096];
  DWORD count = 0;
  while (!reader.is_stopped && ReadFile(input, ignored, sizeof ignored, &count, nullptr) != 0 && count > 0) {
  }
  if (!reader.is_stopped.exchange(true)) reader.on_end();
}

using SharedReader = std::shared_ptr<Reader>;

}  // namespace

InputEnd::InputEnd(std::function<void()> on_end) {
  auto reader = std::make_shared<Reader>();
  reader->on_end = std::move(on_end);
  stop_ = reinterpret_cast<std::intptr_t>(new SharedReader(reader));
  const Handle started(CreateEventW(nullptr, TRUE, FALSE, nullptr));
  thread_ = std::thread([reader, &started] {
    reader->thread = duplicate(GetCurrentThread(), false);
    SetEvent(started.get());
    read_to_end(*reader);
  });
  WaitForSingleObject(started.get(), INFINITE);
}

// The thread may be about to read when it is cancelled, so that it is cancelled again. If it cannot be, it stays until
// the process ends.
InputEnd::~InputEnd() {
  const std::unique_ptr<SharedReader> reader(reinterpret_cast<SharedReader*>(stop_));
  const bool is_calling = (*reader)->is_stopped.exchange(true);
  const HANDLE thread = (*reader)->thread.get();
  DWORD ended = WAIT_TIMEOUT;
  for (int i = 0; ended == WAIT_TIMEOUT && (is_calling || i < kCancelTries); ++i) {
    CancelSynchronousIo(thread);
    ended = WaitForSingleObject(thread, kCancelInterval);
  }
  if (ended == WAIT_OBJECT_0) {
    thread_.join();
  } else {
    thread_.detach();
  }
}

}  // namespace rocktable
