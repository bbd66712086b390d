#include "base/platform/file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace rocktable {
namespace {

constexpr mode_t kOwnerOnly = 0600, kReadableByAll = 0644, kUsual = 0666;

mode_t mode_of(FileRights rights) {
  switch (rights) {
    case FileRights::OwnerOnly:
      return kOwnerOnly;
    case FileRights::ReadableByAll:
      return kReadableByAll;
    case FileRights::Usual:
      break;
  }
  return kUsual;
}

std::int64_t nanoseconds(const timespec& time) { return time.tv_sec * std::int64_t{1'000'000'000} + time.tv_nsec; }

FileStatus::Kind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileStatus::Kind::Regular;
  if (S_ISDIR(mode)) return FileStatus::Kind::Folder;
  if (S_ISFIFO(mode)) return FileStatus::Kind::Pipe;
  if (S_ISSOCK(mode)) return FileStatus::Kind::Socket;
  if (S_ISLNK(mode)) return FileStatus::Kind::Link;
  return S_ISCHR(mode) || S_ISBLK(mode) ? FileStatus::Kind::Device : FileStatus::Kind::Other;
}

FileStatus to_file_status(const struct stat& status) {
  return {.kind = kind_of(status.st_mode),
          .size = static_cast<std::uint64_t>(status.st_size),
          .links = status.st_nlink,
          .device = status.st_dev,
          .number = status.st_ino,
          .modified = nanoseconds(status.st_mtim),
          .changed = nanoseconds(status.st_ctim)};
}

std::optional<std::size_t> count_of(ssize_t result) {
  return result < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(result));
}

}  // namespace

void File::close() {
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

// O_NONBLOCK: a named pipe must not block until its other end is opened.
File File::open(const std::filesystem::path& path, OpenMode mode, Links links) {
  int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  if (links == Links::Refuse) flags |= O_NOFOLLOW;
  if (mode == OpenMode::Read) flags |= O_RDONLY;
  if (mode == OpenMode::ReadWrite) flags |= O_RDWR;
  if (mode == OpenMode::Append) flags |= O_WRONLY | O_APPEND;
  return File(::open(path.c_str(), flags));
}

File File::create(const std::filesystem::path& path, FileRights rights) {
  return File(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_of(rights)));
}

File File::create_unique(std::filesystem::path& path, FileRights rights) {
  std::string name = path.string() + ".XXXXXX";
  File out(::mkostemp(name.data(), O_CLOEXEC));
  if (!out.is_open()) return out;
  path = name;
  if (::fchmod(out.get(), mode_of(rights)) == 0) return out;
  const int error = errno;
  ::unlink(name.c_str());
  errno = error;
  return File();
}

File File::duplicate_of(StandardStream stream) {
  constexpr int kDescriptors[] = {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO};
  return File(::fcntl(kDescriptors[static_cast<int>(stream)], F_DUPFD_CLOEXEC, 0));
}

std::optional<FileStatus> File::status() const {
  if (!is_open()) return std::nullopt;  // errno has the reason of open()
  struct stat status{};
  return ::fstat(descriptor_, &status) == 0 ? std::optional(to_file_status(status)) : std::nullopt;
}

std::optional<std::size_t> File::read(char* to, std::size_t size) const {
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, to, size);
  } while (count < 0 && errno == EINTR);
  return count_of(count);
}

std::optional<std::size_t> File::read_at(std::uint64_t offset, char* to, std::size_t size) const {
  return count_of(::pread(descriptor_, to, size, static_cast<off_t>(offset)));
}

std::optional<std::size_t> File::write_at(std::uint64_t offset, std::string_view text) const {
  return count_of(::pwrite(descriptor_, text.data(), text.size(), static_cast<off_t>(offset)));
}

bool File::write_all(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count < 0 && errno != EINTR) return false;
    text.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  }
  return true;
}

bool File::truncate(std::uint64_t size) const { return ::ftruncate(descriptor_, static_cast<off_t>(size)) == 0; }

bool File::sync() const { return sync_descriptor(descriptor_); }

bool sync_descriptor(int descriptor) { return ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP; }

LockOutcome File::lock() const {
  if (::flock(descriptor_, LOCK_EX | LOCK_NB) == 0) return LockOutcome::Locked;
  return errno == EWOULDBLOCK ? LockOutcome::HeldByAnother : LockOutcome::Unsupported;
}

std::optional<FileStatus> status_of(const std::filesystem::path& path, Links links) {
  struct stat status{};
  const int result = links == Links::Follow ? ::stat(path.c_str(), &status) : ::lstat(path.c_str(), &status);
  return result == 0 ? std::optional(to_file_status(status)) : std::nullopt;
}

bool rename_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::rename(from.c_str(), to.c_str()) == 0;
}

bool link_file(const std::filesystem::path& from, const std::filesystem::path& to) {
  return ::link(from.c_str(), to.c_str()) == 0;
}

bool remove_file(const std::filesystem::path& path) { return ::unlink(path.c_str()) == 0; }

bool is_private(const std::filesystem::path& path) {
  constexpr mode_t kOfOthers = 077;
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return true;
  const bool is_owned = status.st_uid == ::geteuid() || status.st_uid == 0;
  return is_owned && (status.st_mode & kOfOthers) == 0;
}

}  // namespace rocktable
