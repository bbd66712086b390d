// AtomicFile: a file that appears completely or not at all. It is written under an unpredictable temporary
// name, so that nobody can create that file in advance, and has its final mode from the first byte on. Then
// it gets its own name.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace rocktable {

class AtomicFile {
 public:
  // Creates the temporary file beside `path`. The destructor removes it.
  AtomicFile(const std::filesystem::path& path, mode_t mode);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // replace() and create_if_absent() report a failed write.
  void write(const std::string& text);

  // Renames the file to `path`, and replaces an existing file. Returns false if that fails; then errno has
  // the reason.
  bool replace();
  // The same, but keeps an existing file.
  bool create_if_absent();

 private:
  std::filesystem::path path_;
  std::string name_;
  int descriptor_ = -1;
  bool good_ = false;
};

}  // namespace rocktable
