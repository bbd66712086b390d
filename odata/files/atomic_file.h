// A file that appears whole or not at all, with the mode that it is to have from its first byte on: written under a name
// that nobody could have prepared, then given its own.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace rocktable {

class AtomicFile {
 public:
  // Beside `path`; gone with this object.
  AtomicFile(const std::filesystem::path& path, mode_t mode);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // What fails shows when it is published.
  void write(const std::string& text);

  // Gives it its name, and takes that from a file that has it. False where that fails; errno says why.
  bool replace();
  // The same, but a file that has the name keeps it.
  bool publish_once();

 private:
  std::filesystem::path path_;
  std::string name_;
  int descriptor_ = -1;
  bool good_ = false;
};

}  // namespace rocktable
