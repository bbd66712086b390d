// FileWatcher: reads files again after they changed.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/threads/stoppable_thread.h"

namespace rocktable {

// Identifies the state of a file. Differs after a write, and after the file was replaced by another one.
struct FileVersion {
  std::uint64_t device = 0, inode = 0;
  std::int64_t size = 0, modified = 0, changed = 0;  // bytes; nanoseconds

  bool operator==(const FileVersion&) const = default;
};

class FileWatcher {
 public:
  FileWatcher() = default;
  FileWatcher(const FileWatcher&) = delete;
  FileWatcher& operator=(const FileWatcher&) = delete;

  // Whoever reads the files calls begin(), and note() for each file before it is read, so that a later write shows as a
  // change. At first before watch(), then only from within `read_again`.
  void begin() { files_.clear(); }
  void note(const std::string& file);

  // Starts a thread that watches the noted files until this object is destroyed. Within a second of a change it calls
  // `read_again`, which must not throw. A file that just changed may be half-written: it is read once it has rested for
  // 250 ms, or after 1 s. Each state of the files is read once, even if it is invalid. Without files nothing happens.
  void watch(std::function<void()> read_again);

 private:
  struct WatchedFile {
    std::string path;
    std::optional<FileVersion> version;  // when it was read; nullopt: there was no such file
  };
  using Versions = std::vector<std::optional<FileVersion>>;

  void poll(StopSignal& stop);
  bool is_due();
  Versions read_versions() const;
  Versions current_versions() const;

  std::function<void()> read_again_;
  std::vector<WatchedFile> files_;
  Versions seen_;  // at the last poll
  int polls_since_change_ = 0;
  StoppableThread watcher_;  // last member: must be destroyed before the others
};

}  // namespace rocktable
