#include "client/transfer/partial_file.h"

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/platform/file.h"

namespace rocktable {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::runtime_error(why); }

bool is_plain(const FileStatus& status) { return status.kind == FileStatus::Kind::Regular && status.links == 1; }

File open_new(const std::string& path) {
  if (!remove_file(path) && errno != ENOENT) refuse(std::strerror(errno));
  return File::create(path, FileRights::Usual);
}

// Checks the file type before it changes the file.
File open_again(const std::string& path, std::uint64_t keep_bytes) {
  File file = File::open(path, OpenMode::Append, Links::Refuse);
  if (!file.is_open()) return file;
  const auto status = file.status();
  if (status && !is_plain(*status)) refuse(path + " is not the file of the earlier attempt");
  if (!status || !file.truncate(keep_bytes)) refuse(std::strerror(errno));
  return file;
}

}  // namespace

PartialFile::PartialFile(const std::string& path, std::uint64_t keep_bytes) : std::ostream(nullptr) {
  File file = keep_bytes == 0 ? open_new(path) : open_again(path, keep_bytes);
  if (!file.is_open()) refuse(errno == ELOOP ? path + " is a symbolic link" : std::strerror(errno));
  buffer_ = std::make_unique<__gnu_cxx::stdio_filebuf<char>>(file.release(), std::ios::out | std::ios::binary);
  rdbuf(buffer_.get());
}

bool PartialFile::sync() { return sync_descriptor(buffer_->fd()); }

std::uint64_t PartialFile::bytes_of(const std::string& path) {
  const auto status = status_of(path, Links::Refuse);
  return status && is_plain(*status) ? status->size : 0;
}

}  // namespace rocktable
