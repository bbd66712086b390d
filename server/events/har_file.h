// A file that is a complete HTTP archive at any time, and to which entries are appended.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/platform/file.h"
#include "base/threads/mutex.h"

namespace rocktable {

// The closing brackets follow the last entry. One system call overwrites them with the next entry and new
// closing brackets, so that the document is complete between two calls, also if the process is killed. A kill
// during a call may leave a part of the last entry; the next start removes it.
//
// Two files hold the last entries: `path`, and the previous file, `path` with the suffix `.1`.
class HarFile {
 public:
  // Starts a document. An existing trace becomes the previous file. Any other existing file is left unchanged
  // and is an error.
  //
  //   max_bytes  limit of both files together
  //
  // Throws std::runtime_error: the file cannot be written, is not a regular file, is not a trace, or another
  // process writes it.
  HarFile(const std::filesystem::path& path, std::uint64_t max_bytes);
  ~HarFile() = default;
  HarFile(const HarFile&) = delete;
  HarFile& operator=(const HarFile&) = delete;

  // Appends an entry, a JSON object in one line. On failure the document is unchanged, a warning is logged
  // once, and the next written entry holds the number of missing entries. Starts a new document if the file
  // was deleted, renamed or emptied. Thread-safe.
  void append(std::string_view entry);

 private:
  void open();
  File create() const;
  void adopt(File file);
  void start_next_file();
  void rotate() const;
  bool is_in_place();
  void write(std::string_view entry);
  void restore_end() const;

  std::filesystem::path path_;
  std::filesystem::path older_;
  std::uint64_t max_bytes_;  // of one file
  Mutex mutex_;
  File file_;
  std::uint64_t device_ = 0, number_ = 0;  // of the open file
  std::uint64_t end_ = 0;                  // offset of the closing brackets
  std::uint64_t missing_ = 0;
  bool has_warned_ = false;
};

}  // namespace rocktable
