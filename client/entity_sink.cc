#include "client/entity_sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iostream>

namespace rocktable {
namespace {

std::string partial_of(const std::string& file) { return file + ".partial"; }

// What the system still holds in memory goes to the disk.
bool sync_file(const std::string& file) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool synced = ::fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP;  // not every file can
  const int why = errno;
  ::close(descriptor);
  errno = why;
  return synced;
}

}  // namespace

FileSink::FileSink(std::string file, EntityFormat format, std::vector<std::string> columns,
                   std::uint64_t keep_bytes)
    : file_(std::move(file)), partial_(partial_of(file_)) {
  if (!is_standard_output()) {
    errno = 0;
    std::error_code error;
    if (keep_bytes > 0) std::filesystem::resize_file(partial_, keep_bytes, error);
    out_.open(partial_, std::ios::binary | (keep_bytes > 0 ? std::ios::app : std::ios::trunc));
    if (!out_ || error) fail();
  }
  writer_ = open_entity_writer(
      format, is_standard_output() ? std::cout : out_, is_standard_output() ? "standard output" : file_,
      {.timestamps = false, .columns = std::move(columns), .header = keep_bytes == 0});
}

void FileSink::add(const Entity& entity) {
  const auto properties = view_of(entity.properties);
  writer_->write({entity.key.partition_key, entity.key.row_key, entity.timestamp, properties});
  ++added_;
}

void FileSink::flush() {
  writer_->flush();
  if (!is_standard_output() && !sync_file(partial_)) fail();
  flushed_ = added_;
}

std::uint64_t FileSink::bytes() const { return is_standard_output() ? 0 : bytes_left_of(file_); }

void FileSink::finish() {
  flush();
  if (is_standard_output()) return;
  out_.close();
  if (!out_ || std::rename(partial_.c_str(), file_.c_str()) != 0) fail();
}

std::uint64_t FileSink::bytes_left_of(const std::string& file) {
  std::error_code error;
  const auto size = std::filesystem::file_size(partial_of(file), error);
  return error ? 0 : size;
}

void FileSink::fail() const {
  throw std::runtime_error(file_ + " cannot be written: " + std::strerror(errno != 0 ? errno : EIO));
}

}  // namespace rocktable
