// Uses mkstemp, fsync, and rename or link, which are atomic within a file system.
#include "base/atomic_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

namespace rocktable {

AtomicFile::AtomicFile(const std::filesystem::path& path, mode_t mode) : path_(path), name_(path.string() + ".XXXXXX") {
  descriptor_ = ::mkstemp(name_.data());
  if (descriptor_ >= 0) good_ = ::fchmod(descriptor_, mode) == 0;
}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(name_.c_str());
}

void AtomicFile::write(const std::string& text) {
  good_ = good_ && ::write(descriptor_, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
          ::fsync(descriptor_) == 0;
}

bool AtomicFile::replace() { return good_ && ::rename(name_.c_str(), path_.c_str()) == 0; }

bool AtomicFile::create_if_absent() {
  if (!good_) return false;
  if (::link(name_.c_str(), path_.c_str()) == 0 || errno == EEXIST) return true;
  return replace();  // this file system has no links
}

}  // namespace rocktable
