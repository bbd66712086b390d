// A new name, the disk, and a rename or a link, which are atomic within a file system.
#include "base/atomic_file.h"

#include <cerrno>

namespace rocktable {

AtomicFile::AtomicFile(const std::filesystem::path& path, FileRights rights)
    : path_(path), name_(path), file_(File::create_unique(name_, rights)), good_(file_.is_open()) {}

AtomicFile::~AtomicFile() {
  if (!file_.is_open()) return;
  file_.close();
  remove_file(name_);
}

void AtomicFile::write(const std::string& text) { good_ = good_ && file_.write_all(text) && file_.sync(); }

bool AtomicFile::replace() { return good_ && rename_file(name_, path_); }

bool AtomicFile::create_if_absent() {
  if (!good_) return false;
  if (link_file(name_, path_) || errno == EEXIST) return true;
  return replace();  // this file system has no links
}

}  // namespace rocktable
