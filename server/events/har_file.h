// A file that is an HTTP archive at every moment, and grows by entries.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <string>
#include <string_view>

namespace rocktable {

// The closing brackets stand behind the last entry. The next one is written over them, with closing brackets of its own, by
// one call of the system: who reads the file, or kills the process, between two calls finds a whole document. A process
// that is killed within a call may leave a part of the last entry; the next start removes it.
//
// Two files hold the last entries: `path`, and the one before it, `path` with `.1` behind it.
class HarFile {
 public:
  // Begins a document. A trace that is there becomes the one before; a file that is none stays as it is, and is an error.
  //
  //   max_bytes  of both files together
  //
  // Throws std::runtime_error: the file cannot be written, is no regular file, no trace, or another process writes it.
  HarFile(const std::filesystem::path& path, std::uint64_t max_bytes);
  ~HarFile();
  HarFile(const HarFile&) = delete;
  HarFile& operator=(const HarFile&) = delete;

  // Adds an entry, an object of JSON in one line. Where that fails the document stays as it was, a warning is told once, and
  // the next entry that is written says how many are missing before it. A file that was deleted, renamed or emptied
  // meanwhile is begun anew. Thread-safe.
  void append(std::string_view entry);

 private:
  void open();
  int create() const;
  void adopt(int descriptor);
  void close();
  void begin_next();
  void make_way() const;
  bool is_in_place();
  void write(std::string_view entry);
  void restore_end() const;

  std::filesystem::path path_;
  std::filesystem::path older_;
  std::uint64_t max_bytes_;  // of one file
  std::mutex mutex_;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  std::uint64_t end_ = 0;  // where the closing brackets stand
  std::uint64_t missing_ = 0;
  bool has_warned_ = false;
};

}  // namespace rocktable
