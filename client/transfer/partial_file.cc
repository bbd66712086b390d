#include "client/transfer/partial_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace rocktable {
namespace {

constexpr mode_t kMode = 0666;  // reduced by the umask, as for any new file
constexpr int kFlags = O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

bool is_plain(const struct stat& status) { return S_ISREG(status.st_mode) && status.st_nlink == 1; }

int open_new(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) refuse(std::strerror(errno));
  return ::open(path.c_str(), kFlags | O_CREAT | O_EXCL, kMode);
}

// Checks the file type before it changes the file.
int open_again(const std::string& path, std::uint64_t keep_bytes) {
  const int descriptor = ::open(path.c_str(), kFlags | O_APPEND);
  if (descriptor < 0) return descriptor;
  struct stat status{};
  const bool is_known = ::fstat(descriptor, &status) == 0, is_another = is_known && !is_plain(status);
  if (is_known && !is_another && ::ftruncate(descriptor, static_cast<off_t>(keep_bytes)) == 0) return descriptor;
  const std::string why = is_another ? path + " is not the file of the earlier attempt" : std::strerror(errno);
  ::close(descriptor);
  refuse(why);
}

}  // namespace

PartialFile::PartialFile(const std::string& path, std::uint64_t keep_bytes) : std::ostream(nullptr) {
  const int descriptor = keep_bytes == 0 ? open_new(path) : open_again(path, keep_bytes);
  if (descriptor < 0) refuse(errno == ELOOP ? path + " is a symbolic link" : std::strerror(errno));
  buffer_ = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(descriptor, std::ios::out | std::ios::binary);
  rdbuf(buffer_.get());
}

bool PartialFile::sync() {
  return ::fsync(buffer_->fd()) == 0 || errno == EINVAL || errno == ENOTSUP;  // not every file system supports fsync
}

std::uint64_t PartialFile::bytes_of(const std::string& path) {
  struct stat status{};
  if (::lstat(path.c_str(), &status) != 0 || !is_plain(status)) return 0;
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace rocktable
