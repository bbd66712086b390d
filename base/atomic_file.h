// AtomicFile: a file that appears completely or not at all. It is written under an unpredictable temporary
// name, so that nobody can create that file in advance, and has its final rights from the first byte on. Then
// it gets its own name.
#pragma once

#include <filesystem>
#include <string>

#include "base/platform/file.h"

namespace rocktable {

class AtomicFile {
 public:
  // Creates the temporary file beside `path`. The destructor removes it.
  AtomicFile(const std::filesystem::path& path, FileRights rights);
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
  std::filesystem::path name_;  // the temporary one
  File file_;
  bool good_ = false;
};

}  // namespace rocktable
